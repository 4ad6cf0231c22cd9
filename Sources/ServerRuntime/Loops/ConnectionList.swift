/// A connection that stores its index in a ``ConnectionList``.
@usableFromInline
package protocol ListedConnection: AnyObject {
    /// The connection's index in the list, set by the list; -1 while the connection is in no list.
    var place: Int { get set }
}

/// The connections of one event loop, in no particular order. Adding or removing one takes constant time.
///
/// Inlinable, so that each service uses the list with the type of its own connections. `@usableFromInline` is needed for that, because the
/// compiler makes inlinable code available to other targets only with it.
@usableFromInline
package struct ConnectionList<Connection: ListedConnection> {
    @usableFromInline package internal(set) var all: ContiguousArray<Connection> = []

    @inlinable package init() {}

    @inlinable package mutating func add(_ connection: Connection) {
        connection.place = all.count
        all.append(connection)
    }

    /// Removes a connection, and moves the last connection to its index. Does nothing when the connection is not in the list.
    @inlinable package mutating func remove(_ connection: Connection) {
        let place = connection.place
        guard all.indices.contains(place), all[place] === connection else { return }
        all.swapAt(place, all.count - 1)
        all.removeLast()
        if place < all.count { all[place].place = place }
        connection.place = -1
    }
}
