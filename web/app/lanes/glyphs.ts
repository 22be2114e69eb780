/** Icons on a canvas. */
import type { MarkIcon } from './lane-data.js'
import type { Surface } from './surface.js'

/** Draws an icon centred at a point. `weight`, from 0 to 1, scales icons whose size has a meaning. */
export function drawGlyph(
  { colours, context }: Surface,
  icon: MarkIcon,
  x: number,
  y: number,
  colour: string,
  weight = 0.5
): void {
  context.save()
  context.translate(Math.round(x), y)
  context.strokeStyle = colour
  context.fillStyle = colour
  context.lineJoin = 'round'
  context.lineCap = 'round'
  glyphs[icon](context, colours.sheet, colour, weight)
  context.restore()
}

type Glyph = (context: CanvasRenderingContext2D, paper: string, colour: string, weight: number) => void

/** Shapes by SVG path, created when first drawn. */
const pathCache = new Map<string, Path2D>()
function getPath(shape: string): Path2D {
  let cached = pathCache.get(shape)
  if (!cached) pathCache.set(shape, (cached = new Path2D(shape)))
  return cached
}

const sheetShape = 'M-8.5-10H3L8.500-4.500V8a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2z'

const glyphs: Readonly<Record<MarkIcon, Glyph>> = {
  note(context, paper) {
    context.fillStyle = paper
    context.lineWidth = 1.5
    context.fill(getPath(sheetShape))
    context.stroke(getPath(sheetShape))
    context.stroke(getPath('M-4.500-1.500h9M-4.500 2h9M-4.500 5.500h5'))
  },
  file(context, paper) {
    context.fillStyle = paper
    context.lineWidth = 1.5
    context.fill(getPath(sheetShape))
    context.stroke(getPath(sheetShape))
    context.stroke(getPath('M3-10v5.500h5.500'))
  },
  photo(context, paper) {
    context.lineWidth = 2
    context.strokeStyle = paper
    context.beginPath()
    context.roundRect(-11, -11, 22, 22, 5)
    context.globalAlpha = 0.55
    context.fill()
    context.globalAlpha = 1
    context.stroke()
    context.fill(getPath('M-11 5l6.500-7 4.500 5 3.500-3.500L11 6v1a4 4 0 0 1-4 4H-7a4 4 0 0 1-4-4z'))
    context.fillStyle = paper
    context.beginPath()
    context.arc(5, -5, 2.4, 0, 2 * Math.PI)
    context.fill()
  },
  pin(context, paper) {
    context.fill(
      getPath(
        'M0-11.500a7.500 7.500 0 0 1 7.500 7.500C7.500 1.500 0 10.500 0 10.500S-7.500 1.500-7.500-4a7.500 7.500 0 0 1 7.500-7.500z'
      )
    )
    context.fillStyle = paper
    context.beginPath()
    context.arc(0, -4, 2.8, 0, 2 * Math.PI)
    context.fill()
  },
  run(context, paper) {
    context.fillStyle = paper
    context.beginPath()
    context.arc(0, 0, 11, 0, 2 * Math.PI)
    context.fill()
    context.lineWidth = 1.5
    context.stroke()
    context.lineWidth = 1.7
    context.stroke(
      getPath(
        'M-5.500-1l3-2.300 3 1.500-1.500 3.800 2.300 2.200v3M-1 2.500l-1.500 2.300-3 .7M.7-1.800l1.600 1.500 2.300-.4'
      )
    )
    context.fillStyle = context.strokeStyle
    context.beginPath()
    context.arc(1.7, -5.3, 1.5, 0, 2 * Math.PI)
    context.fill()
  },
  dot(context, paper, _colour, weight) {
    context.globalAlpha = 0.9
    context.lineWidth = 1.5
    context.strokeStyle = paper
    context.beginPath()
    context.arc(0, 0, 3 + 5 * weight, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  },
  look(context, _paper, _colour, weight) {
    context.lineWidth = 2
    const half = 5 + 15 * weight
    context.beginPath()
    context.moveTo(0, -half)
    context.lineTo(0, half)
    context.stroke()
  },
  add(context, _paper, _colour, weight) {
    context.globalAlpha = 0.85
    context.beginPath()
    context.arc(0, 0, 2.4 + 2.4 * weight, 0, 2 * Math.PI)
    context.fill()
  },
  refused(context) {
    context.lineWidth = 2.2
    context.stroke(getPath('M-4.500-24.500l9 9m0-9l-9 9'))
  }
}
