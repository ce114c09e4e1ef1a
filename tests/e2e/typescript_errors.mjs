// Calls every tool in a project once with wrong arguments, on the official TypeScript SDK, and prints what a program
// built on it sees: {"tool": {"text": …} or {"thrown": …}}. The first argument says how to connect:
// {"command", "args", "cwd", "env"} over stdio, {"url", "headers"} over HTTP.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const way = JSON.parse(process.argv[2]);
const transport = way.url
  ? new StreamableHTTPClientTransport(new URL(way.url), { requestInit: { headers: way.headers } })
  : new StdioClientTransport(way);
const client = new Client({ name: 'foreign', version: '1' }, { capabilities: {} });
await client.connect(transport);

async function seen(name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return { isError: result.isError === true, text: result.content.map((part) => part.text).join('') };
  } catch (error) {
    return { thrown: String(error.message) };
  }
}

// Listing first: from then on the SDK checks every result against its tool's output schema.
const { tools } = await client.listTools();
const answers = {};
const wrong = { no_such_argument: 1, project: {} };
for (const { name, inputSchema } of tools) if (inputSchema.properties.project) answers[name] = await seen(name, wrong);
answers['read_file of nothing'] = await seen('read_file', { path: 'no/such.py' });
answers['tools_list, rightly'] = await seen('tools_list', {});
console.log(JSON.stringify(answers));
await client.close();
