/** The lines of a step, byte by byte. */
import type { Contract } from "../../contract/contract.js";
import { keyText } from "../../contract/record/key.js";

const [PUTTING, END] = [Buffer.from('{"put":'), Buffer.from("}\n")];

/** @param record its canonical text. */
export function putLine(record: Buffer): Buffer {
  return Buffer.concat([PUTTING, record, END]);
}

/** @param key as it stands in records.sha256. */
export function removeLine(contract: Pick<Contract, "key">, key: string): Buffer {
  return Buffer.from(`{"remove":${keyText(contract, key)}}\n`, "latin1");
}
