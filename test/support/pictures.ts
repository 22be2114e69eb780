/** Pictures to make previews of, and a look at what came of them. Tests that need them are skipped where sharp is missing. */

/** What is known of a picture. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly format: string
  readonly isProgressive?: boolean
  readonly exif?: Buffer
  readonly icc?: Buffer
}

interface Sharp {
  metadata(): Promise<Look>
  withExif(exif: object): Sharp
  withMetadata(options: { orientation?: number }): Sharp
  toFormat(format: string, options?: object): Sharp
  toBuffer(): Promise<Buffer>
  raw(): Sharp
}
type SharpModule = (input: Buffer | object | readonly Buffer[], options?: object) => Sharp

const name: string = 'sharp'
const sharp = await import(name).then(
  (module: { default: SharpModule }) => module.default,
  () => undefined
)

/** Why tests with pictures cannot run; `false` if they can. */
export const noPictures = sharp ? false : 'sharp is not installed'

/** A picture of one colour. */
export async function picture(
  width: number,
  height: number,
  { colour = 'red', format = 'jpeg', orientation = 1 } = {}
): Promise<Buffer> {
  return await sharp!({ create: { width, height, channels: 3, background: colour } })
    .withExif({ IFD0: { Artist: 'somebody secret' } })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()
}

/** A GIF of two frames, one colour each. */
export async function animation(width: number, height: number, colours: readonly string[]): Promise<Buffer> {
  const frames = await Promise.all(
    colours.map(async colour => await picture(width, height, { colour, format: 'png' }))
  )
  return await sharp!(frames, { join: { animated: true } })
    .toFormat('gif', { delay: 100 })
    .toBuffer()
}

export async function lookAt(bytes: Buffer): Promise<Look> {
  return await sharp!(bytes).metadata()
}

/** Red, green and blue of the first pixel. */
export async function firstPixel(bytes: Buffer): Promise<number[]> {
  return Array.from((await sharp!(bytes).raw().toBuffer()).subarray(0, 3))
}
