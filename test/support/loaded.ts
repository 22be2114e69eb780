/** Preloaded into a process: at exit, prints the module files that it has loaded to standard error, as JSON. */
import { Session } from 'node:inspector'

const session = new Session()
const loaded = new Set<string>()
session.connect()
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url.startsWith('file:') || url.startsWith('/')) loaded.add(url)
})
session.post('Debugger.enable')
process.once('exit', () => process.stderr.write(`loaded ${JSON.stringify([...loaded])}\n`))
