/** `rollcall schema`: prints a contract as JSON Schema, SQL or TypeScript. */
import type { Contract } from "../core/contract/contract.js";
import { loadContract } from "../core/contract/file/load.js";
import { toSql } from "../core/contract/sql.js";
import { toTypeScript } from "../core/contract/typescript.js";
import { ExitCode, usageError } from "../core/errors.js";
import { suggest } from "../core/print/near.js";
import { listed } from "../core/print/text.js";
import { findRelease } from "../core/release/choose.js";
import { openSiteRelease, type ReleaseListing } from "../core/release/site.js";
import type { Settings, SettingsOfListing } from "../core/settings/settings.js";
import { type Invocation, type Io, print } from "./program/verb.js";

const FORMS: Readonly<Record<Settings["schemaFormat"], (contract: Contract) => string>> = {
  "json-schema": ({ text }) => text,
  sql: toSql,
  typescript: toTypeScript,
};

/** Runs `rollcall schema`. @returns its exit code. @throws UserError */
export async function runSchema({ settings, arguments: { release } }: Invocation, io: Io): Promise<ExitCode> {
  const { dist, schemaFormat } = settings;
  const contract =
    release === undefined
      ? await contractOfSettings(settings)
      : await contractOfRelease(findRelease(release, dist, io.cwd), settings.listing);
  print(io, FORMS[schemaFormat](contract).trimEnd());
  return ExitCode.done;
}

/** @throws UserError (usage) if the config has several listings, and neither a listing nor a contract is named */
function contractOfSettings({ contract, listings, listing }: Settings): Promise<Contract> {
  if (listings === undefined && listing !== undefined)
    throw usageError("The config has no listings; leave --listing out.");
  if (listings === undefined || (listing === undefined && contract !== undefined)) return loadContract(contract);
  const name = requireListing("The config", Object.keys(listings), listing);
  const own = listings[name] as SettingsOfListing;
  return own.contract === undefined ? loadContract(contract) : loadContract(own.contract, `listings.${name}.contract`);
}

/** @throws UserError (usage) if the release has several listings, and none is named */
async function contractOfRelease(folder: string, listing: string | undefined): Promise<Contract> {
  const { id, listings } = await openSiteRelease(folder);
  const [first] = listings;
  const isPlain = first?.name === "";
  if (isPlain && listing !== undefined) throw usageError(`Release ${id} is one listing; leave --listing out.`);
  const names = listings.map(({ name }) => name);
  const wanted = isPlain ? "" : requireListing(`Release ${id}`, names, listing);
  const found = listings.find(({ name }) => name === wanted) as ReleaseListing;
  return found.release.contract;
}

/** Requires the name of one of several listings. @param where what has them, in messages */
function requireListing(where: string, names: readonly string[], listing: string | undefined): string {
  if (listing === undefined)
    throw usageError(`${where} has the listings ${listed(names)}; name one with --listing ${names[0]}.`);
  if (!names.includes(listing))
    throw usageError(`${where} has no listing ${JSON.stringify(listing)}; ${suggest(listing, names)}`);
  return listing;
}
