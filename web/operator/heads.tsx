/** The heads of the columns of a list; on a phone, where each value has a line, there are none. */
export function Heads({ of }: { readonly of: readonly string[] }) {
  return (
    <div class="heads" aria-hidden="true">
      {of.map(name => (
        <span key={name}>{name}</span>
      ))}
    </div>
  )
}
