// contextd in OpenCode: the MCP server, the skills, the briefing of a session and what is known about a prompt.
import { fileURLToPath } from "node:url"
import { opencode as row } from "./rows.js"
import { tell } from "./telling.js"

const SKILLS = row.skills && fileURLToPath(new URL(row.skills, import.meta.url))

export const Contextd = async ({ client, directory }) => {
  const briefings = new Map()
  const agents = new Set() // sessions of sub-agents
  const answers = new Map()
  const say = (message) => {
    client?.tui?.showToast?.({ body: { message, variant: "warning" } })?.catch?.(() => {})
    client?.app?.log?.({ body: { service: "contextd", level: "warn", message } })?.catch?.(() => {})
  }
  const told = (moment, session, more = {}) => {
    const event = { hook_event_name: row.events[moment], session_id: session, cwd: directory }
    return tell(row, { ...event, ...more }, say)
  }
  // The same words in every request of a session: what a provider caches begins with them.
  const begun = (session, source) => {
    briefings.set(session, told("started", session, { source }))
    return briefings.get(session)
  }
  const briefing = (session) => briefings.get(session) ?? begun(session, "startup")
  const mine = (session) => session && !agents.has(session)
  return {
    config: async (config) => {
      if (row.server) config.mcp = { contextd: row.server, ...config.mcp }
      if (SKILLS) config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), SKILLS] }
    },
    event: async ({ event }) => {
      const about = event.properties ?? {}
      if (event.type === "session.created" && about.info?.parentID) agents.add(about.info.id)
      if (event.type === "session.idle" && mine(about.sessionID) && briefings.has(about.sessionID)) {
        await told("stopped", about.sessionID, { last_assistant_message: answers.get(about.sessionID) ?? "" })
      }
      if (event.type === "session.compacted" && mine(about.sessionID)) {
        await told("compacted", about.sessionID, { compact_summary: answers.get(about.sessionID) ?? "" })
        answers.delete(about.sessionID)
        // Now without what the summary says.
        await begun(about.sessionID, "compact")
      }
      if (event.type === "session.deleted" && briefings.delete(about.info?.id)) {
        await told("ended", about.info.id, { reason: "deleted" })
      }
    },
    "chat.message": async (input, output) => {
      if (!mine(input.sessionID)) return
      await briefing(input.sessionID)
      const own = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = own.map((part) => part.text).join("\n")
      const text = await told("prompted", input.sessionID, { prompt, prompt_id: output.message.id })
      if (!text) return
      const id = `prt_contextd${Date.now().toString(36)}`
      output.parts.push({ id, sessionID: input.sessionID, messageID: output.message.id, type: "text", synthetic: true, text })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!mine(input.sessionID)) return
      const text = await briefing(input.sessionID)
      if (text) output.system.push(text)
    },
    "experimental.text.complete": async (input, output) => {
      answers.set(input.sessionID, output.text)
    },
    "experimental.session.compacting": async (input) => {
      if (!mine(input.sessionID)) return
      await told("compacting", input.sessionID, { trigger: "auto" })
      // From here on the session so far stands where its first briefing stood.
      await begun(input.sessionID, "compact")
    },
    dispose: async () => {
      await Promise.all([...briefings.keys()].map((session) => told("ended", session, { reason: "exit" })))
    },
  }
}

export default Contextd
