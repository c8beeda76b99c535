/** The tables that GeoPackage and SpatiaLite keep beside those of the user, as their specifications name them. */
import { lowerCase } from "../contract/sql.js";

export interface ListedTable {
  name: string;
  type: "table" | "view" | "virtual";
}

/** Names in lower case of tables and views of SpatiaLite. Others begin or end as `OF_SPATIALITE` says. */
const SPATIALITE: ReadonlySet<string> = new Set([
  ...["spatial_ref_sys", "spatial_ref_sys_aux", "spatial_ref_sys_all", "spatialite_history", "geom_cols_ref_sys"],
  ...["spatialindex", "elementarygeometries", "knn", "knn2", "sql_statements_log", "data_licenses"],
  ...["stored_procedures", "stored_variables", "topologies", "networks", "rl2map_configurations"],
  ...["rl2map_configurations_view", "iso_metadata", "iso_metadata_reference", "iso_metadata_view"],
]);

const OF_SPATIALITE =
  /^(?:(?:views_|virts_)?geometry_columns|vector_layers|(?:raster|vector)_coverages|wms_get(?:capabilities|map)|wms_(?:settings|ref_sys))(?:_(?:auth|field_infos|statistics|time|keyword|ref_sys|srid))?$|^se_(?:external_graphics|fonts|(?:raster|vector|group)_styles|styled_groups?(?:_refs|_styles)?|(?:raster|vector|group)_styled_(?:layers|groups))(?:_view)?$/;

/** Leaves out the tables of a GeoPackage or of SpatiaLite, if the database is one. Virtual ones are indexes. */
export function withoutSystemTables(tables: readonly ListedTable[]): ListedTable[] {
  const names = new Set(tables.map(({ name }) => lowerCase(name)));
  const isGeoPackage = names.has("gpkg_contents");
  const isSpatialite = names.has("spatial_ref_sys") && names.has("geometry_columns");
  return tables.filter(({ name, type }) => {
    const lower = lowerCase(name);
    const isVirtual = type === "virtual";
    if (isGeoPackage && (lower.startsWith("gpkg_") || (isVirtual && lower.startsWith("rtree_")))) return false;
    if (!isSpatialite) return true;
    return !(SPATIALITE.has(lower) || OF_SPATIALITE.test(lower) || (isVirtual && lower.startsWith("idx_")));
  });
}
