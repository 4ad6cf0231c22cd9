import Identifiers
import OrderedCollections

// Access to tables and sets of identifiers with a `String` as the key. Keys are compared by their bytes (rule HB-11).

extension Dictionary where Key == Identifier {
    /// The value for the identifier with this text; nil when there is none.
    @inlinable
    public subscript(text: String) -> Value? {
        get { self[Identifier(text)] }
        _modify { yield &self[Identifier(text)] }
    }

    /// The value for the identifier with this text, or a default when there is none.
    @inlinable
    public subscript(text: String, default value: @autoclosure () -> Value) -> Value {
        get { self[Identifier(text)] ?? value() }
        _modify { yield &self[Identifier(text), default: value()] }
    }

    /// Removes and returns the value for the identifier with this text; nil when there is none.
    @discardableResult
    public mutating func removeValue(forKey text: String) -> Value? { removeValue(forKey: Identifier(text)) }
}

extension OrderedDictionary where Key == Identifier {
    /// The value for the identifier with this text; nil when there is none.
    @inlinable
    public subscript(text: String) -> Value? {
        get { self[Identifier(text)] }
        _modify { yield &self[Identifier(text)] }
    }

    /// Removes and returns the value for the identifier with this text; nil when there is none.
    @discardableResult
    public mutating func removeValue(forKey text: String) -> Value? { removeValue(forKey: Identifier(text)) }
}

extension Set<Identifier> {
    /// Whether the set contains the identifier with this text.
    public func contains(_ text: String) -> Bool { contains(Identifier(text)) }

    /// Adds the identifier with this text to the set.
    @discardableResult
    public mutating func insert(_ text: String) -> (inserted: Bool, memberAfterInsert: Identifier) { insert(Identifier(text)) }

    /// Removes the identifier with this text from the set.
    @discardableResult
    public mutating func remove(_ text: String) -> Identifier? { remove(Identifier(text)) }
}
