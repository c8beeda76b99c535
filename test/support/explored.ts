/** Small placeholders for the files of `--lookup` and `--explorer`. */

export const LOOKED_UP: Readonly<Record<string, string>> = {
  "lookup/index.json": '{"fields":[],"key":["id"],"keys":["0","2"],"version":1,"words":["ana"]}\n',
  "lookup/keys/1.txt": "0\t*g\n1\tA\n",
  "lookup/keys/2.txt": "2\tB\n",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`lookup/words/${at + 1}.txt`, `ana${at}\té\tA\n`])),
};

export const EXPLORED: Readonly<Record<string, string>> = {
  ...LOOKED_UP,
  "index.html": '<!doctype html><html lang="en"><title>People</title><h1>Ana & Bé</h1></html>\n',
  "explorer/app.js": "export {};\n",
  "explorer/style.css": "main { margin: 0 }\n",
  "explorer/summary.json": '{"count":5,"facets":[],"lists":["a"],"numbers":[],"times":null,"version":2}\n',
  "explorer/facets/1.txt": 'kyc_status="NONE"\tBCDEg\n',
};
