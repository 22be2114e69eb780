/** A track on a grid: north up, with a scale. No third party is contacted. */
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useReading } from '../data/reading.js'
import type { Event, SeriesPoints } from '../data/model.js'
import { prepareSurface, clearColourCache } from '../lanes/surface.js'
import { formatRounded } from '../data/format-values.js'

/** Maximum points read. */
const maxPoints = 300
const metresPerDegree = 111_320

interface Point {
  readonly x: number
  readonly y: number
  readonly altitude: number | undefined
}

/**
 * Shows the track, reduced to 300 points, with distance, duration and climb; an empty drawing until it is read.
 */
export function TrackView({ holder }: { readonly holder: Event }) {
  const { client } = useAccount()
  const canvas = useRef<HTMLCanvasElement>(null)
  // Without a track, the drawing stays empty.
  const { read: track } = useReading(
    async signal => {
      const params = {
        id: holder.id,
        fromDeltaTime: 0,
        toDeltaTime: (holder.duration ?? 86_400) + 1,
        sample: maxPoints
      }
      return toTrack(await client.callAlone<SeriesPoints>('hfs.get', params, signal))
    },
    [holder.id, holder.modified]
  )
  useEffect(() => {
    const paint = (): void => {
      if (canvas.current) clearColourCache(canvas.current)
      if (canvas.current && track) drawTrack(canvas.current, track)
    }
    paint()
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', paint)
    return () => scheme.removeEventListener('change', paint)
  }, [track])
  const distance = track ? measureLength(track) : 0
  const climb = track ? measureClimb(track) : 0
  return (
    <>
      <canvas
        class="track"
        ref={canvas}
        role="img"
        aria-label={t('timeline.track', { distance: formatDistance(distance) })}
      />
      {track && track.length > 1 && (
        <dl class="facts num">
          <div>
            <dt>{t('timeline.distance')}</dt>
            <dd>{formatDistance(distance)}</dd>
          </div>
          <div>
            <dt>{t('timeline.lasted')}</dt>
            <dd>{Math.round((holder.duration ?? 0) / 60)} min</dd>
          </div>
          {climb > 0 && (
            <div>
              <dt>{t('timeline.climb')}</dt>
              <dd>{formatRounded(climb, 0)} m</dd>
            </div>
          )}
        </dl>
      )}
    </>
  )
}

/** Converts positions to metres east and south of the first one. Without positions, returns none. */
function toTrack({ fields, points }: SeriesPoints): Point[] {
  const [latitude, longitude, altitude] = ['latitude', 'longitude', 'altitude'].map(name =>
    fields.indexOf(name)
  )
  const first = points[0]
  if (!first || latitude! < 0 || longitude! < 0) return []
  const [north, east] = [first[latitude!] ?? 0, first[longitude!] ?? 0]
  const narrowing = Math.cos((north * Math.PI) / 180)
  return points.flatMap(row => {
    const [a, b] = [row[latitude!], row[longitude!]]
    if (typeof a !== 'number' || typeof b !== 'number') return []
    return [
      {
        x: (b - east) * narrowing * metresPerDegree,
        y: (north - a) * metresPerDegree,
        altitude: row[altitude!] ?? undefined
      }
    ]
  })
}

function measureLength(track: readonly Point[]): number {
  return track.reduce(
    (sum, { x, y }, at) => (at === 0 ? 0 : sum + Math.hypot(x - track[at - 1]!.x, y - track[at - 1]!.y)),
    0
  )
}

/** Returns the total ascent in metres, ignoring noise of receivers. */
function measureClimb(track: readonly Point[]): number {
  let [sum, base] = [0, track[0]?.altitude]
  for (const { altitude } of track) {
    if (altitude === undefined || base === undefined) continue
    if (altitude > base + 3) sum += altitude - base
    if (Math.abs(altitude - base) > 3) base = altitude
  }
  return sum
}

function formatDistance(metres: number): string {
  return metres < 1000 ? `${Math.round(metres)} m` : `${formatRounded(metres / 1000, 1)} km`
}

/**
 * Draws a track that fills the canvas, with a grid and a scale. Points are in metres; nothing is drawn without
 * points.
 */
function drawTrack(canvas: HTMLCanvasElement, track: readonly Point[]): void {
  const surface = prepareSurface(canvas, false)
  if (!surface || track.length === 0) return
  const { colours, context, font, height, width } = surface
  const [left, right] = [Math.min(...track.map(({ x }) => x)), Math.max(...track.map(({ x }) => x))]
  const [top, bottom] = [Math.min(...track.map(({ y }) => y)), Math.max(...track.map(({ y }) => y))]
  const scale = Math.min(
    (width - 56) / Math.max(50, right - left),
    (height - 52) / Math.max(50, bottom - top)
  )
  const x = (metres: number): number => width / 2 + (metres - (left + right) / 2) * scale
  const y = (metres: number): number => height / 2 - 4 + (metres - (top + bottom) / 2) * scale
  const square =
    [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000].find(each => each * scale >= 34) ??
    100_000
  context.strokeStyle = colours.ink
  context.lineWidth = 1
  context.globalAlpha = 0.08
  const step = square * scale
  context.beginPath()
  for (let at = (width / 2) % step; at < width; at += step) {
    context.moveTo(at, 0)
    context.lineTo(at, height)
  }
  for (let at = (height / 2) % step; at < height; at += step) {
    context.moveTo(0, at)
    context.lineTo(width, at)
  }
  context.stroke()
  context.globalAlpha = 1
  context.lineJoin = 'round'
  context.lineCap = 'round'
  for (const [colour, size] of [
    [colours.sheet, 7.5],
    [colours.own, 3.5]
  ] as const) {
    context.strokeStyle = colour
    context.lineWidth = size
    context.beginPath()
    for (const point of track) context.lineTo(x(point.x), y(point.y))
    context.stroke()
  }
  const dot = ({ x: east, y: south }: Point, colour: string): void => {
    context.fillStyle = colour
    context.strokeStyle = colours.sheet
    context.lineWidth = 2.5
    context.beginPath()
    context.arc(x(east), y(south), 6, 0, 2 * Math.PI)
    context.fill()
    context.stroke()
  }
  dot(track.at(-1)!, colours.brass)
  dot(track[0]!, colours.own)
  context.strokeStyle = colours.soft
  context.fillStyle = colours.soft
  context.lineWidth = 1.5
  context.beginPath()
  context.moveTo(14, height - 17)
  context.lineTo(14, height - 12)
  context.lineTo(14 + step, height - 12)
  context.lineTo(14 + step, height - 17)
  context.stroke()
  context.font = `450 11px ${font}`
  context.textAlign = 'left'
  context.textBaseline = 'alphabetic'
  context.fillText(formatDistance(square), 18, height - 17)
  context.textAlign = 'center'
  context.font = `600 11px ${font}`
  context.fillText('N', width - 18, 40)
  context.beginPath()
  context.moveTo(width - 18, 12)
  context.lineTo(width - 12, 27)
  context.lineTo(width - 18, 23.5)
  context.lineTo(width - 24, 27)
  context.fill()
}
