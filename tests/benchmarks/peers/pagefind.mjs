// Pagefind's own browser script, in Node.js: files of the index instead of requests, no worker.
// node pagefind.mjs SITE LANGUAGE
import { copyFileSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const [site, language] = process.argv.slice(2);
globalThis.document = { querySelector: () => ({ getAttribute: () => language }), currentScript: null };
globalThis.location = new URL("http://localhost/");
globalThis.fetch = async (url) => {
  const bytes = await readFile(site + decodeURIComponent(new URL(url, "http://localhost").pathname));
  return new Response(bytes, { status: 200 });
};
copyFileSync(`${site}/pagefind/pagefind.js`, `${site}/pagefind/pagefind.mjs`);
const pagefind = await import(`${site}/pagefind/pagefind.mjs`);
await pagefind.options({ basePath: "/pagefind/" });
await pagefind.init();
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024);
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
say({ version: JSON.parse(readFileSync(`${site}/pagefind/pagefind-entry.json`, "utf-8")).version });

for await (const line of createInterface({ input: process.stdin })) {
  const { texts, k } = JSON.parse(line);
  const begun = performance.now();
  let results = [];
  for (const text of texts) {
    if (text.trim()) ({ results } = await pagefind.search(text));
    if (results.length) break;
  }
  const pages = await Promise.all(results.slice(0, k).map((result) => result.data()));
  say({
    ids: pages.map((page) => page.url),
    seconds: (performance.now() - begun) / 1000,
    peak_mb: peak(),
  });
}
