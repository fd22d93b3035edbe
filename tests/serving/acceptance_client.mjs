// A TypeScript SDK client against one server: node acceptance_client.mjs (http URL | stdio COMMAND ARGS...)
// Listing the tools makes the SDK compile every output schema; calling them makes it check the answers.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Ajv2020 } from "ajv/dist/2020.js";

const [kind, target, ...rest] = process.argv.slice(2);
const transport = kind === "http"
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, stderr: "ignore", env: process.env });
const client = new Client({ name: "acceptance", version: "1" });
await client.connect(transport);

const { tools } = await client.listTools();
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
for (const tool of tools) {
  ajv.compile(tool.inputSchema);
  ajv.compile(tool.outputSchema);
}
const calls = [
  ["search", { query: "pump" }],
  ["search", { query: "pump", mmr: true, parent_retriever: true, path_globs: ["**/*.md"], tags_any: ["none"] }],
  ["get_document", { path: "guide/setup.md", start_line: 1, end_line: 3 }],
  ["list_topics", {}],
  ["get_connection_graph", { start: "guide/setup.md" }],
  ["rebuild_index", { force: true }],
];
for (const [name, args] of calls) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
  if (JSON.stringify(result.structuredContent) !== JSON.stringify(JSON.parse(result.content[0].text))) {
    throw new Error(`${name}: text and structured content differ`);
  }
}
for (const [name, args] of [["get_best_practice", { target: "x" }], ["search", { query: "x", limit: 1001 }]]) {
  const result = await client.callTool({ name, arguments: args });
  if (!result.isError) throw new Error(`${name} should have failed`);
}
const { resources } = await client.listResources();
for (const { uri } of resources) await client.readResource({ uri });
await client.listResourceTemplates();
const { prompts } = await client.listPrompts();
for (const prompt of prompts) {
  const args = Object.fromEntries((prompt.arguments || []).filter((a) => a.required).map((a) => [a.name, "fog"]));
  await client.getPrompt({ name: prompt.name, arguments: args });
}
await client.complete({ ref: { type: "ref/resource", uri: "kb://doc/{+path}" }, argument: { name: "path", value: "g" } });
await client.ping();
await client.close();
console.log(`${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`);
