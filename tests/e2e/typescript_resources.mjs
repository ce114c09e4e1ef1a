// Reads everything that is listed and everything that completion offers, on the official TypeScript SDK,
// and prints {"listed": {uri: text}, "completed": {value: text}}. Started like typescript_errors.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';

const client = new Client({ name: 'foreign', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport(JSON.parse(process.argv[2])));

const text = async (uri) => (await client.readResource({ uri })).contents[0].text;
const listed = {};
for (const { uri } of (await client.listResources()).resources) listed[uri] = await text(uri);
const completed = {};
for (const { uriTemplate } of (await client.listResourceTemplates()).resourceTemplates) {
  const template = new UriTemplate(uriTemplate);
  for (const name of template.variableNames) {
    const ref = { type: 'ref/resource', uri: uriTemplate };
    const { values } = (await client.complete({ ref, argument: { name, value: '' } })).completion;
    for (const value of values) completed[value] = await text(template.expand({ [name]: value }));
  }
}
console.log(JSON.stringify({ listed, completed }));
await client.close();
