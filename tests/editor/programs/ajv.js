// The verdicts of schemas in Ajv 2020 on objects, {schema: [object, ...]} on stdin.
const fs = require("fs"), Ajv = require("ajv/dist/2020").default;
const found = {};
for (const [name, texts] of Object.entries(JSON.parse(fs.readFileSync(0)))) {
  const relaxed = {strictTypes: false, strictRequired: false, strictTuples: false, validateFormats: false};
  const ajv = new Ajv({unicodeRegExp: true, strict: true, ...relaxed});
  ajv.addVocabulary(["errorMessage", "doNotSuggest"]);
  const valid = ajv.compile(JSON.parse(fs.readFileSync(name)));
  found[name] = texts.map(one => valid(one));
}
console.log(JSON.stringify(found));
