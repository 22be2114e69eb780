/** Writes the types of the client's methods. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFiles, clientMethods } from './client-methods.js'

const files = await clientFiles()
rmSync(clientMethods, { recursive: true, force: true })
mkdirSync(clientMethods, { recursive: true })
for (const [name, text] of files) writeFileSync(join(clientMethods, name), text)
