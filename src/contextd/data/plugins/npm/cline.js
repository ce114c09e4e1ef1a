// contextd in Cline: the MCP server, what its tools are for and the briefing as a rule, the end of a run.
import { homedir } from "node:os"
import { cline as row } from "./rows.js"
import { tell } from "./telling.js"

const HOME = homedir()
const server = row.server && JSON.parse(JSON.stringify(row.server), (_, value) => (value === "~" ? HOME : value))
// Cline goes on without any plugin when one of them took longer to start, as it counts from about when this
// process began.
const LIMIT = Number(process.env.CLINE_PLUGIN_IMPORT_TIMEOUT_MS) || 4000
const RESERVE = 800
let about = {}

const told = (moment, say) => tell(row, { ...about, hookName: row.events[moment] }, say)

// The briefing; on a machine too busy for it, what there is without.
const inTime = (text) => {
  const left = Math.max(0, LIMIT - RESERVE - performance.now())
  let timer
  const late = new Promise((done) => (timer = setTimeout(done, left, "")))
  return Promise.race([text, late]).finally(() => clearTimeout(timer))
}

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
    if (server) api.registerMcpServer({ name: "contextd", ...server })
    const say = (message) => context?.logger?.log?.(message)
    const briefing = session ? await inTime(told("started", say)) : ""
    const content = [row.instructions, briefing].filter(Boolean).join("\n\n")
    if (content) api.registerRule({ id: "contextd", source: "contextd", content })
  },
  hooks: {
    async afterRun() {
      if (about.taskId) await told("ended")
    },
  },
}
