// lunr as MkDocs serves it: the scripts and the index of the built site, searched as its worker does.
// node lunr.mjs FOLDER_OF_search_index.json PREFIX…   (locations that begin with one of PREFIX)
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

const [folder, ...prefixes] = process.argv.slice(2);
const read = (name) => readFileSync(`${folder}/${name}`, "utf-8");
const site = JSON.parse(read("search_index.json"));
const languages = site.config.lang;
const load = (name) => {
  const script = `(function () { ${read(name)} \n})`;
  runInThisContext(script).call(globalThis);
};
// The scripts attach themselves to the global object where there is no module system.
runInThisContext(read("lunr.js"));
load("lunr.stemmer.support.js");
load("lunr.multi.js");
for (const language of languages) if (language !== "en") load(`lunr.${language}.js`);
const lunr = globalThis.lunr;
if (site.config.separator) lunr.tokenizer.separator = new RegExp(site.config.separator);

const started = performance.now();
const docs = site.docs.filter((doc) => prefixes.some((prefix) => doc.location.startsWith(prefix)));
const index = lunr(function () {
  if (languages.length > 1) this.use(lunr.multiLanguage(...languages));
  this.field("title");
  this.field("text");
  this.ref("location");
  docs.forEach((doc) => this.add(doc));
});
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024);
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
say({ seconds: (performance.now() - started) / 1000, texts: docs.map((doc) => doc.text) });

for await (const line of createInterface({ input: process.stdin })) {
  const { text, k } = JSON.parse(line);
  const begun = performance.now();
  const ids = index.search(text).slice(0, k).map((found) => found.ref);
  say({ ids, seconds: (performance.now() - begun) / 1000, peak_mb: peak() });
}
