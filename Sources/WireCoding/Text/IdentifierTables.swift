import Identifiers
import OrderedCollections

// Access to tables and sets of ids by texts, which are compared by their bytes (rule HB-11).

extension Dictionary where Key == Identifier {
    /// The value of the id with this text.
    @inlinable
    public subscript(text: String) -> Value? {
        get { self[Identifier(text)] }
        _modify { yield &self[Identifier(text)] }
    }

    /// The value of the id with this text, or a default when there is none.
    @inlinable
    public subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[Identifier(text)] ?? value() }
        _modify { yield &self[Identifier(text), default: value()] }
    }

    /// Removes the value of the id with this text, and returns it.
    @discardableResult
    public mutating func removeValue(forKey text: String) -> Value? { removeValue(forKey: Identifier(text)) }
}

extension OrderedDictionary where Key == Identifier {
    /// The value of the id with this text.
    @inlinable
    public subscript(text: String) -> Value? {
        get { self[Identifier(text)] }
        _modify { yield &self[Identifier(text)] }
    }

    /// Removes the value of the id with this text, and returns it.
    @discardableResult
    public mutating func removeValue(forKey text: String) -> Value? { removeValue(forKey: Identifier(text)) }
}

extension Set<Identifier> {
    /// Whether the id with this text is in the set.
    public func contains(_ text: String) -> Bool { contains(Identifier(text)) }

    /// Adds the id with this text.
    @discardableResult
    public mutating func insert(_ text: String) -> (inserted: Bool, memberAfterInsert: Identifier) { insert(Identifier(text)) }

    /// Removes the id with this text.
    @discardableResult
    public mutating func remove(_ text: String) -> Identifier? { remove(Identifier(text)) }
}
