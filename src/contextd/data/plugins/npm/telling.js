// Hands what a client tells on to contextd, and brings back what the agent is to read.
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { missing } from "./rows.js"

/** The text for the agent, empty for none. `say` is called once ever, on a machine where contextd is missing. */
export const tell = (row, payload, say = () => {}) =>
  new Promise((done) => {
    const [program, ...rest] = row.hook
    const child = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore"] })
    let said = ""
    child.stdout.on("data", (piece) => (said += piece))
    child.stdin.on("error", () => {})
    child.on("error", (error) => {
      if (error.code === "ENOENT" && first()) say(missing)
      done("")
    })
    child.on("close", () => done(contextOf(said)))
    child.stdin.end(JSON.stringify(payload))
  })

const contextOf = (said) => {
  try {
    return JSON.parse(said).context ?? ""
  } catch {
    return ""
  }
}

const first = () => {
  try {
    const folder = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "contextd-missing"), "", { flag: "wx" })
    return true
  } catch {
    return false
  }
}
