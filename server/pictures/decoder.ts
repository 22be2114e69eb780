/**
 * Decodes pictures with sharp in a process of its own, so that memory, time or a crash affects only this process.
 * (docs/decisions/0017-images-are-decoded-in-separate-processes.md)
 */
import { writeFileSync } from 'node:fs'
import { fitInto, type Frame, type Size } from '../../core/previews/renderer.js'
import { hasManyParts } from './picture-parts.js'
import type { DecoderRequest, DecoderLimits, DecoderResult, DecoderReply } from './protocol.js'

/** The parts of sharp that are used, since sharp's own types are missing where the library is not installed. */
interface Sharp {
  metadata(): Promise<{ autoOrient: { width: number; height: number } }>
  resize(options: { width: number; height: number; fit: 'fill' }): Sharp
  flatten(options: { background: string }): Sharp
  jpeg(options: { progressive: boolean; quality: number }): Sharp
  toBuffer(): Promise<Buffer>
}
interface SharpModule {
  (picture: Buffer, options: { autoOrient: boolean; limitInputPixels: number; failOn: string }): Sharp
  cache(isOn: boolean): void
  concurrency(threads: number): void
  block(options: { operation: string[] }): void
  unblock(options: { operation: string[] }): void
}

/** Formats that cameras and screens produce. All other decoders are disabled. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif']
const quality = 80
/** How often memory is checked, in milliseconds. A decoder may exceed the limit in between. */
const memoryCheckMs = 5

const { maxMemory, maxPixels } = JSON.parse(process.argv[2] ?? '') as DecoderLimits
let library: Promise<SharpModule> | undefined
let chunks: Uint8Array[] = []

raiseOomScore()
process.on('message', (request: DecoderRequest) => {
  if ('chunk' in request) chunks.push(request.chunk)
  else void handleFrame(request.frame)
})
process.once('disconnect', killSelf)

async function handleFrame(frame: Frame | undefined): Promise<void> {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > maxMemory) killSelf()
  }, memoryCheckMs)
  try {
    const picture = Buffer.concat(chunks)
    chunks = []
    sendReply(hasManyParts(picture) ? { refusal: 'many-parts' } : await decode(picture, frame))
  } finally {
    clearInterval(watch)
  }
}

async function decode(picture: Buffer, frame: Frame | undefined): Promise<DecoderResult> {
  const sharp = await (library ??= loadSharp()).catch(() => undefined)
  if (!sharp) return { refusal: 'missing' }
  try {
    // Truncated pictures are common (a phone ran out of power): the available part is shown.
    const opened = sharp(picture, { autoOrient: true, limitInputPixels: maxPixels, failOn: 'none' })
    const size: Size = (await opened.metadata()).autoOrient
    return frame ? { preview: await render(opened, fitInto(frame, size)) } : { size }
  } catch (error) {
    return { refusal: 'unreadable', cause: String(error) }
  }
}

async function render(picture: Sharp, size: Size): Promise<Buffer> {
  return await picture
    .resize({ ...size, fit: 'fill' })
    .flatten({ background: '#ffffff' })
    .jpeg({ progressive: true, quality })
    .toBuffer()
}

async function loadSharp(): Promise<SharpModule> {
  // A variable, so that the build works without the package.
  const name: string = 'sharp'
  const { default: sharp } = (await import(name)) as { default: SharpModule }
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: loaders.map(format => `VipsForeignLoad${format}`) })
  return sharp
}

function sendReply(result: DecoderResult): void {
  process.send!({ result, memory: process.memoryUsage.rss() } satisfies DecoderReply)
}

/** Makes Linux kill this process before the service if the machine runs out of memory. */
function raiseOomScore(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such file.
  }
}

/** Kills this process immediately: an orderly exit would wait for the decoder. */
function killSelf(): void {
  process.kill(process.pid, 'SIGKILL')
}
