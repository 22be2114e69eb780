/** Sends files as forms and fetches them again, as fast as the other side takes and gives them. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'

const megabyte = 1024 * 1024
const chunk = randomBytes(megabyte)
const boundary = 'coffer-bench-boundary'
const opening = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="sample.bin"\r\n` +
    `Content-Type: application/octet-stream\r\n\r\n`
)
const closing = Buffer.from(`\r\n--${boundary}--\r\n`)

/** Sends so many megabytes as one file; answers the text of the answer, and the seconds that it took. */
export async function upload(
  url: string,
  token: string,
  megabytes: number
): Promise<{ text: string; seconds: number }> {
  const startMs = performance.now()
  const sending = request(url, {
    method: 'POST',
    headers: {
      authorization: token,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': opening.length + megabytes * megabyte + closing.length
    }
  })
  const answer = once(sending, 'response')
  sending.write(opening)
  for (let sent = 0; sent < megabytes; sent++) if (!sending.write(chunk)) await once(sending, 'drain')
  sending.end(closing)
  return await whole(answer, startMs)
}

/** Fetches a file and counts its bytes. */
export async function download(url: string, token: string): Promise<{ bytes: number; seconds: number }> {
  const startMs = performance.now()
  const asking: ClientRequest = request(url, { headers: { authorization: token } }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) bytes += part.length
  return { bytes, seconds: (performance.now() - startMs) / 1000 }
}

async function whole(
  answer: Promise<unknown[]>,
  startMs: number
): Promise<{ text: string; seconds: number }> {
  const [response] = (await answer) as [IncomingMessage]
  let text = ''
  for await (const part of response) text += String(part)
  if (response.statusCode! >= 300) throw new Error(`A file was refused: ${text}`)
  return { text, seconds: (performance.now() - startMs) / 1000 }
}
