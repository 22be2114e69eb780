/** Column headers of a list; hidden on phones, where each value has its own line. */
export function ColumnHeaders({ of }: { readonly of: readonly string[] }) {
  return (
    <div class="heads" aria-hidden="true">
      {of.map(name => (
        <span key={name}>{name}</span>
      ))}
    </div>
  )
}
