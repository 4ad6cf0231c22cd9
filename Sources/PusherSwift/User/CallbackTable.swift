import Foundation

/// Callbacks for events of one name, and callbacks for events of all names, each with the id that unbinds it.
struct CallbackTable<Value> {
    private struct Entry {
        var id: String
        /// The event name; nil for events of all names.
        var name: String?
        var callback: (Value) -> Void
    }

    private var entries: [Entry] = []

    mutating func bind(_ name: String?, _ callback: @escaping (Value) -> Void) -> String {
        let id = UUID().uuidString
        entries.append(Entry(id: id, name: name, callback: callback))
        return id
    }

    /// The callbacks for events with this name, in the order in which they were bound.
    func callbacks(for name: String) -> [(Value) -> Void] {
        entries.filter { $0.name == nil || $0.name == name }.map(\.callback)
    }

    /// Removes every callback for which `isUnbound`, called with the callback's id and event name, returns true.
    ///
    /// - Returns: the former table. The caller must release it outside of any lock, because releasing a closure may run code that calls the
    ///   library.
    mutating func unbind(_ isUnbound: (_ id: String, _ name: String?) -> Bool) -> Self {
        let former = self
        entries.removeAll { isUnbound($0.id, $0.name) }
        return former
    }

    var isEmpty: Bool { entries.isEmpty }
}
