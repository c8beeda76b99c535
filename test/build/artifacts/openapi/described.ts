/** Helpers that read openapi.json: parts by name, and checks from its schemas. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { basePath } from "../../../../src/core/contract/links.js";

export interface Node {
  readonly [key: string]: Node;
}

interface Document {
  servers: [{ url: string }];
  paths: Record<string, PathItem>;
  components: Record<string, Record<string, Node>>;
}

interface PathItem {
  get: Operation;
}

interface Operation {
  operationId: string;
  responses: Record<string, Node>;
}

/** What an answer is described as. */
export interface Expected {
  status: string;
  headers: ReadonlyMap<string, { required: boolean; takes: (value: unknown) => boolean }>;
  /** By media type, without parameters. */
  bodies: ReadonlyMap<string, ValidateFunction>;
}

export function reading(text: string) {
  const document: Document = JSON.parse(text);
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi.json");

  const checks = new Map<string, ValidateFunction>();
  const at = (reference: string): Node =>
    reference
      .slice(2)
      .split("/")
      .reduce((node: Node, name) => node[name.replaceAll("~1", "/").replaceAll("~0", "~")] as Node, document as never);
  const follow = (node: Node | undefined) => (typeof node?.["$ref"] === "string" ? at(String(node["$ref"])) : node);
  /** A check of one schema, whose references lead into the document. */
  const check = (schema: unknown): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi.json#/');
    const made = checks.get(text) ?? ajv.compile(JSON.parse(text));
    checks.set(text, made);
    return made;
  };

  return {
    document,
    schema: (name: string) => check({ $ref: `#/components/schemas/${name}` }),
    record: Object.keys(document.components["schemas"] ?? {})[0] ?? "",
    /** The answers of a path, by status: HEAD like GET. */
    answers(path: string): Expected[] {
      return Object.entries(document.paths[path]?.get.responses ?? {}).map(([status, response]) => {
        const { headers = {}, content = {} } = follow(response) ?? {};
        return {
          status,
          headers: new Map(
            Object.entries(headers).map(([name, header]) => {
              const { required, schema } = follow(header) ?? {};
              return [name.toLowerCase(), { required: (required as unknown) === true, takes: check(schema) }] as const;
            }),
          ),
          bodies: new Map(Object.entries(content).map(([type, body]) => [type, check(body["schema"])] as const)),
        };
      });
    },
    /** The path of the base URL. */
    base: basePath(document.servers[0].url),
  };
}
