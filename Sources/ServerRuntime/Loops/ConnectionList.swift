/// A connection that knows its place in a ``ConnectionList``.
@usableFromInline
package protocol ListedConnection: AnyObject {
    /// The place in the list, which sets it; -1 outside of a list.
    var place: Int { get set }
}

/// Connections of one event loop, in no order. Adding and removing one takes the same time however many there are.
///
/// Inlinable, so that each front uses it with the type of its own connections. The compiler keeps what is inlinable for other targets only
/// where the type is `@usableFromInline`, too.
@usableFromInline
package struct ConnectionList<Connection: ListedConnection> {
    @usableFromInline package internal(set) var all: ContiguousArray<Connection> = []

    @inlinable package init() {}

    @inlinable package mutating func add(_ connection: Connection) {
        connection.place = all.count
        all.append(connection)
    }

    /// Gives the place of a connection to the last one. Does nothing when the connection is not in the list.
    @inlinable package mutating func remove(_ connection: Connection) {
        let place = connection.place
        guard all.indices.contains(place), all[place] === connection else { return }
        all.swapAt(place, all.count - 1)
        all.removeLast()
        if place < all.count { all[place].place = place }
        connection.place = -1
    }
}
