/** A picture of an event, loaded with the page's session when it is about to become visible. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useAccount } from '../data/account.js'
import type { Client } from '../data/client.js'
import type { Event } from '../data/model.js'
import { Icon } from './icon.js'

interface Props {
  readonly event: Event
  /** Alternative text; empty if a text beside it has the same meaning. */
  readonly alt: string
  /** Width in pixels: previews are 256, 512, 768 or 1024 wide. */
  readonly width: number
}

/** Formats that browsers display and that cannot contain scripts. */
const displayableTypes = /^image\/(?:png|jpe?g|gif|webp|avif)$/
/** Maximum number of bytes of a file that is shown if it has no preview. */
const maxFileSize = 20_000_000

/** Shows the preview, or the file itself without one (up to 20 MB); an icon if neither can be displayed. */
export function Picture({ event, alt, width }: Props) {
  const { client } = useAccount()
  const box = useRef<HTMLSpanElement>(null)
  const [url, setUrl] = useState<string>()
  /** The URL that could not be displayed; empty if loading failed. */
  const [failed, setFailed] = useState<string>()
  const isBroken = failed === (url ?? '')
  useEffect(() => {
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      try {
        const blob = await readPicture(client, event, width, abort.signal)
        if (!abort.signal.aborted) setUrl(URL.createObjectURL(blob))
      } catch {
        if (abort.signal.aborted) return
        setUrl(undefined)
        setFailed('')
      }
    }
    const observer = new IntersectionObserver(
      entries => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        void read()
      },
      { rootMargin: '400px' }
    )
    observer.observe(box.current!)
    return () => {
      observer.disconnect()
      abort.abort()
    }
  }, [client, event.id, event.modified, width])
  // The URL is valid until it is replaced.
  useEffect(() => () => void (url !== undefined && URL.revokeObjectURL(url)), [url])
  return (
    <span class="picture" ref={box}>
      {url !== undefined && !isBroken ? (
        <img src={url} alt={alt} decoding="async" onError={() => setFailed(url)} />
      ) : (
        <>
          {isBroken && <Icon name="photo" />}
          <span class="unseen">{alt}</span>
        </>
      )}
    </span>
  )
}

/** Reads the preview, or the file itself if there is none. Rejects if there is nothing to show. */
async function readPicture(client: Client, event: Event, width: number, signal: AbortSignal): Promise<Blob> {
  try {
    const preview = await client.download(`events/${event.id}.jpg?w=${width}`, signal)
    if (preview.size > 0) return preview
  } catch (error) {
    if (signal.aborted) throw error
  }
  const [file] = event.attachments ?? []
  if (!file || !displayableTypes.test(file.type) || file.size > maxFileSize)
    throw new Error('nothing to show')
  const whole = await client.download(`events/${event.id}/${file.id}`, signal)
  return new Blob([whole], { type: file.type })
}
