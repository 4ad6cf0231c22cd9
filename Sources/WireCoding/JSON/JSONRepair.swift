/// Makes the rest of a damaged JSON text readable: an invalid element of a list does not affect the other elements (rules PN-40 to
/// PN-42).
///
/// Bytes that are not UTF-8 are left out. An element of a list that is not JSON is replaced, and so is a member of an object around the
/// lists. A truncated text is not repaired, because the missing part is unknown.
public struct JSONRepair {
    /// The position of a list, and the form of its elements.
    public struct List: Sendable {
        /// The keys of the path to the list; `*` stands for any key, and for any element of an array.
        public var path: [String]
        /// Keys that each element has. They distinguish a complete element after a damaged one from an object inside the damaged one.
        public var elementKeys: [String]

        public init(_ path: String..., elementKeys: [String] = []) {
            self.path = path
            self.elementKeys = elementKeys
        }
    }

    /// The lists of a text. Values inside their elements and in other members are not repaired: an invalid element or member is
    /// replaced as a whole.
    public struct Plan: Sendable {
        /// If several lists have the same path, the first is used.
        public var lists: [List]
        /// The replacement of a damaged element.
        public var replacement: @Sendable (UnsafeRawBufferPointer) -> [UInt8]

        public init(
            _ lists: List...,
            replacement: @escaping @Sendable (UnsafeRawBufferPointer) -> [UInt8] = { _ in Array("null".utf8) }
        ) {
            self.lists = lists
            self.replacement = replacement
        }
    }

    /// The repaired text.
    public let bytes: [UInt8]
    /// How many elements and members were replaced.
    public let replacedCount: Int

    /// Nil when the text cannot be repaired. - Parameter damaged: any bytes, used during the call only.
    public init?(_ damaged: UnsafeRawBufferPointer, _ plan: Plan) {
        let clean = JSONBytes.withoutInvalidUTF8(damaged)
        let walk: (bytes: [UInt8], replacedCount: Int)? = clean.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            do throws(JSONSyntaxError) {
                _ = try scanner.value()
                try scanner.expectEnd()
                return (clean, 0)
            } catch {
                // A string without an end in the last element looks the same; a text that may be truncated is never repaired.
                guard error.kind != .truncated else { return nil }
            }
            var second: (bytes: [UInt8], replacedCount: Int)?
            for checksEnds in [false, true] {
                var walk = JSONRepairWalk(bytes, plan, checksEnds: checksEnds)
                guard walk.text() else { continue }
                if !walk.hasLostList { return (walk.out, walk.replacedCount) }
                second = second ?? (walk.out, walk.replacedCount)
            }
            return second
        }
        guard let walk else { return nil }
        (bytes, replacedCount) = walk
    }
}

extension JSONText {
    /// The text, or a repaired text of a damaged one; nil when it cannot be repaired.
    public init?(repairing text: String, _ plan: JSONRepair.Plan) {
        if let whole = try? JSONText(text) {
            self = whole
            return
        }
        guard let repaired = Array(text.utf8).withUnsafeBytes({ JSONRepair($0, plan) }) else { return nil }
        self.init(checked: String(decoding: repaired.bytes, as: UTF8.self))
    }
}
