/** A QR code. The encoder is loaded on demand. */
import { useEffect, useState } from 'preact/hooks'

interface Props {
  readonly text: string
  /** Label for screen readers. */
  readonly label: string
}

interface QrPath {
  readonly size: number
  readonly path: string
}

/** Shows the code of `text`; nothing visible until the encoder is loaded, or if the text is too long. */
export function QrCode({ text, label }: Props) {
  const [drawn, setDrawn] = useState<QrPath>()
  useEffect(() => {
    let isGone = false
    encodePath(text).then(
      code => {
        if (!isGone) setDrawn(code)
      },
      // The text itself is shown above.
      () => undefined
    )
    return () => {
      isGone = true
    }
  }, [text])
  if (!drawn) return <div class="qr-code" />
  const { size, path } = drawn
  return (
    <div class="qr-code">
      <svg
        role="img"
        aria-label={label}
        viewBox={`-4 -4 ${size + 8} ${size + 8}`}
        shape-rendering="crispEdges"
      >
        <rect x="-4" y="-4" width={size + 8} height={size + 8} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
    </div>
  )
}

async function encodePath(text: string): Promise<QrPath> {
  const { encode: encoded } = await import('uqr')
  // The quiet zone is in the view box.
  const { data, size } = encoded(text, { ecc: 'M', border: 0 })
  let path = ''
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) if (data[y]![x]) path += `M${x} ${y}h1v1h-1z`
  return { size, path }
}
