// contextd in Cline: the MCP server, what its tools are for and the briefing as a rule, the end of a run.
import { homedir } from "node:os"
import { cline as row } from "./rows.js"
import { tell } from "./telling.js"

const HOME = homedir()
const server = JSON.parse(JSON.stringify(row.server), (_, value) => (value === "~" ? HOME : value))
let about = {}

const told = (moment, say) => tell(row, { ...about, hookName: row.events[moment] }, say)

export default {
  name: "contextd",
  manifest: { capabilities: ["hooks", "mcp", "rules"] },
  async setup(api, context) {
    const session = context?.session?.sessionId ?? ""
    about = {
      cwd: context?.workspaceInfo?.rootPath ?? process.cwd(),
      taskId: session,
      sessionContext: { rootSessionId: session },
    }
    api.registerMcpServer({ name: "contextd", ...server })
    const say = (message) => context?.logger?.log?.(message)
    const briefing = session ? await told("started", say) : ""
    const content = [row.instructions, briefing].filter(Boolean).join("\n\n")
    api.registerRule({ id: "contextd", source: "contextd", content })
  },
  hooks: {
    async afterRun() {
      if (about.taskId) await told("ended")
    },
  },
}
