/** Sizes of previews: what is asked for goes up to the next standard size, the picture's proportions stay. (docs/spec/previews.md#sizes) */

/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** What a caller asks for. */
export type AskedSize = Partial<Size>

/** What a preview is fitted into: a square, or a length of one side; pixels. One name stands for one rendering of a picture. */
export type Frame = `${'box' | 'width' | 'height'}-${number}`

const standards = [256, 512, 768, 1024] as const
const largest = 1024

/** Whether the frame depends on the picture's proportions. */
export function dependsOnPicture({ width, height }: AskedSize): boolean {
  return width !== undefined && height !== undefined
}

/** The frame for what is asked for; `ratio` is the picture's width by its height. */
export function frameOf({ width, height }: AskedSize, ratio: number): Frame {
  if (width === undefined && height === undefined) return `box-${standards[0]}`
  if (height === undefined || (width !== undefined && width / height > ratio))
    return `width-${standard(width!)}`
  return `height-${standard(height)}`
}

/** The size of a picture in a frame. */
export function sizeIn(frame: Frame, { width, height }: Size): Size {
  const [side, length] = frame.split('-') as [string, string]
  const most = Number(length)
  const scale =
    side === 'box'
      ? Math.min(most / width, most / height)
      : Math.min(most / (side === 'width' ? width : height), largest / Math.max(width, height))
  return { width: pixels(width * scale), height: pixels(height * scale) }
}

/** A length that is a standard one already goes up too. */
function standard(length: number): number {
  return standards.find(one => length < one) ?? largest
}

/** Strips of a picture are still a pixel wide. */
function pixels(length: number): number {
  return Math.max(1, Math.round(length))
}
