/** Preloaded into a process: at its end, tells on standard error which files of modules it has loaded, as JSON. */
import { Session } from 'node:inspector'

const session = new Session()
const loaded = new Set<string>()
session.connect()
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url.startsWith('file:') || url.startsWith('/')) loaded.add(url)
})
session.post('Debugger.enable')
process.once('exit', () => process.stderr.write(`loaded ${JSON.stringify([...loaded])}\n`))
