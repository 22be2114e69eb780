/** Sizes of previews: what is asked for goes up to the next standard size, the picture's proportions stay. (docs/spec/previews.md#sizes) */

/** In pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** What a caller asks for. */
export type RequestedSize = Partial<Size>

/** What a preview is fitted into: a square, or a length of one side; pixels. One name stands for one rendering of a picture. */
export type Frame = `${'box' | 'width' | 'height'}-${number}`

const standardSizes = [256, 512, 768, 1024] as const
const maxSize = 1024

/** Whether the frame depends on the picture's proportions. */
export function dependsOnAspectRatio({ width, height }: RequestedSize): boolean {
  return width !== undefined && height !== undefined
}

/** The frame for what is asked for; `ratio` is the picture's width by its height. */
export function getFrame({ width, height }: RequestedSize, ratio: number): Frame {
  if (width === undefined && height === undefined) return `box-${standardSizes[0]}`
  if (height === undefined || (width !== undefined && width / height > ratio))
    return `width-${roundUpToStandard(width!)}`
  return `height-${roundUpToStandard(height)}`
}

/** The size of a picture in a frame. */
export function fitInto(frame: Frame, { width, height }: Size): Size {
  const [side, length] = frame.split('-') as [string, string]
  const maxLength = Number(length)
  const scale =
    side === 'box'
      ? Math.min(maxLength / width, maxLength / height)
      : Math.min(maxLength / (side === 'width' ? width : height), maxSize / Math.max(width, height))
  return { width: roundPixels(width * scale), height: roundPixels(height * scale) }
}

/** A length that is a standard one already goes up too. */
function roundUpToStandard(length: number): number {
  return standardSizes.find(one => length < one) ?? maxSize
}

/** Strips of a picture are still a pixel wide. */
function roundPixels(length: number): number {
  return Math.max(1, Math.round(length))
}
