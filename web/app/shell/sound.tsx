/** Error boundary: if one part of the page throws, the others stay. */
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { explain, type Message } from '../../problem.js'

/** Shows what it is given; where drawing that throws, says so, and tells the console. */
export function Sound({ children }: { readonly children: ComponentChildren }) {
  const [error] = useErrorBoundary()
  return error === undefined ? <>{children}</> : <Unsound message={explain(error).message} />
}

function Unsound({ message }: { readonly message: Message }) {
  return (
    <div class="notice bad" role="alert">
      {message}
    </div>
  )
}
