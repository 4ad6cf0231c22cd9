/// A list that usually has one element, which it stores without an allocation. All further elements are in an array.
///
/// Inlinable for the same reason as ``LoopChannels``, which stores a connection's seats in it: it is read for each message.
@usableFromInline
package struct ShortList<Element>: RandomAccessCollection, MutableCollection, ExpressibleByArrayLiteral {
    /// The first element; nil only when the list is empty.
    @usableFromInline var firstElement: Element?
    @usableFromInline var others: ContiguousArray<Element> = []

    @inlinable package init() {}

    @inlinable package init(arrayLiteral elements: Element...) {
        for element in elements { append(element) }
    }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { firstElement == nil ? 0 : others.count + 1 }

    /// The element at an index. An index outside of the list stops the program, as with an array.
    @inlinable package subscript(index: Int) -> Element {
        get {
            if index == 0, let firstElement { return firstElement }
            // in bounds: `index` is not 0 here, or the list is empty, which is an error of the caller.
            return others[index - 1]
        }
        set {
            if index == 0, firstElement != nil { firstElement = newValue } else { others[index - 1] = newValue }
        }
    }

    @inlinable package mutating func append(_ element: Element) {
        if firstElement == nil { firstElement = element } else { others.append(element) }
    }

    /// Removes the last element and returns it; nil for an empty list.
    @inlinable @discardableResult package mutating func popLast() -> Element? {
        if let last = others.popLast() {
            if others.isEmpty { others = [] }
            return last
        }
        defer { firstElement = nil }
        return firstElement
    }
}

extension ShortList: Sendable where Element: Sendable {}
