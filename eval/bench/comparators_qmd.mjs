// qmd's keyword search in a process of its own, speaking as comparators_worker.py does:
//     node comparators_qmd.mjs PACKAGE CORPUS FOLDER
// PACKAGE is the folder of @tobilu/qmd. A corpus without files of its own gets one a chunk, before the clock starts.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const [packageFolder, corpus, folder] = process.argv.slice(2)
const { createStore } = await import(pathToFileURL(path.join(packageFolder, 'dist', 'index.js')))
const read = (name) => JSON.parse(fs.readFileSync(path.join(corpus, name), 'utf8'))
const queries = read('queries.json')
const root = read('corpus.json').root ?? writeFiles()
console.log = console.error // standard output is for answers
let store

function writeFiles() {
  const files = path.join(corpus, 'files')
  if (fs.existsSync(files)) return files
  const made = files + '.new'
  fs.rmSync(made, { recursive: true, force: true })
  for (const line of fs.readFileSync(path.join(corpus, 'chunks.jsonl'), 'utf8').split('\n')) {
    if (!line) continue
    const { key, text } = JSON.parse(line)
    const [document, chunk] = key.split('#')
    const parent = path.join(made, path.parse(document).name)
    fs.mkdirSync(parent, { recursive: true })
    fs.writeFileSync(path.join(parent, `${chunk}.md`), text)
  }
  fs.renameSync(made, files)
  return files
}

async function open() {
  const collections = { docs: { path: root, pattern: '**/*.md' } }
  store = await createStore({ dbPath: path.join(folder, 'index.sqlite'), config: { collections } })
}

function mostMemory() {
  if (fs.existsSync('/proc/self/status')) {
    return Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
  }
  return process.resourceUsage().maxRSS / 1024
}

const commands = {
  async build() {
    const started = performance.now()
    await open()
    await store.update()
    return { seconds: (performance.now() - started) / 1000, memory: mostMemory() }
  },
  async open() {
    await open()
    return {}
  },
  async ask({ query, limit }) {
    const started = performance.now()
    const found = await store.searchLex(queries[query], { limit })
    const ms = performance.now() - started
    return { ms, keys: found.map((one) => one.displayPath.slice('docs/'.length)) }
  },
  async memory() {
    return { memory: mostMemory() }
  },
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const command = JSON.parse(line)
  process.stdout.write(JSON.stringify(await commands[command.do](command)) + '\n')
}
await store?.close()
