/** Error boundary: if one part of the page throws, the others stay. */
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { explainError, type Message } from '../../explain-error.js'

/** Renders its children, or an error message if rendering throws; the error is logged to the console. */
export function ErrorBoundary({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary()
  return error === undefined ? <>{children}</> : <ErrorMessage message={explainError(error).message} />
}

function ErrorMessage({ message }: { readonly message: Message }) {
  return (
    <div class="notice bad" role="alert">
      {message}
    </div>
  )
}
