// Plays a story through the public client library of JavaScript: `node client.mjs STORY PROGRAM FOLDER…`.
// A story is a list of { tool, arguments, saves }; "$plan" in the arguments is the last plan.
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [story, command, ...folders] = process.argv.slice(2);
const client = new Client({ name: "refit-xtask", version: "1" });
await client.connect(new StdioClientTransport({ command, args: ["mcp", ...folders] }));
const { tools } = await client.listTools();
let plan;
let pages = 0;
for (const { tool, arguments: given } of JSON.parse(readFileSync(story, "utf8"))) {
    const known = tools.find((one) => one.name === tool);
    if (!known?.description || known.annotations?.readOnlyHint === undefined) throw new Error(`${tool} is not listed`);
    const text = JSON.stringify(given).replaceAll('"$plan"', JSON.stringify(plan));
    let result = await client.callTool({ name: tool, arguments: JSON.parse(text) });
    for (;;) {
        const last = result.content.filter((block) => block.type === "text").at(-1)?.text ?? "{}";
        if (result.isError) throw new Error(`${tool}: ${last}`);
        pages += 1;
        const answer = last.startsWith("{") ? JSON.parse(last) : {};
        plan = answer.plan ?? plan;
        if (!answer.next) break;
        result = await client.callTool({ name: "more", arguments: { cursor: answer.next } });
    }
}
await client.ping();
console.log(`${client.getServerVersion().name}: ${tools.length} tools, ${pages} pages`);
await client.close();
