// Calls every tool with the arguments it is given for it, on the official TypeScript SDK, and prints what a
// program built on it sees: {"tool": [{"isError", "text", "structured"} or {"thrown"}, …]}. Arguments: how to
// connect, {"command", "args", "cwd", "env"}, and {"tool": [arguments, …]}, called in that order.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [way, calls] = process.argv.slice(2).map((text) => JSON.parse(text));
const client = new Client({ name: 'foreign', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport(way));
// Listing first: from then on the SDK checks every result against its tool's output schema.
const offered = (await client.listTools()).tools.map((tool) => tool.name);
const seen = { offered };
for (const [name, every] of Object.entries(calls)) {
  seen[name] = [];
  for (const args of every) {
    try {
      const result = await client.callTool({ name, arguments: args });
      const text = result.content.map((part) => part.text ?? '').join('');
      seen[name].push({ isError: result.isError === true, text, structured: result.structuredContent });
    } catch (error) {
      seen[name].push({ thrown: String(error.message) });
    }
  }
}
console.log(JSON.stringify(seen));
await client.close();
