/** The process of the reference for files: node:http, busboy, a digest and a disk, nothing else. Its argument is a folder. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'

const file = join(process.argv[2] ?? '.', 'reference-file')

const server = createServer((request, response) => {
  if (request.method === 'POST') receive(request, response)
  else send(response)
}).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

function receive(request: IncomingMessage, response: ServerResponse): void {
  const hash = createHash('sha256')
  const form = busboy({ headers: request.headers })
  form.on('file', (_name, source) => {
    source.on('data', (chunk: Buffer) => hash.update(chunk))
    void pipeline(source, createWriteStream(file, { flush: true, highWaterMark: 256 * 1024 })).then(() =>
      response.end(hash.digest('base64'))
    )
  })
  request.pipe(form)
}

function send(response: ServerResponse): void {
  response.setHeader('content-length', statSync(file).size)
  createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response)
}
