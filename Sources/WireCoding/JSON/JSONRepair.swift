/// Repairs a damaged JSON text so that an invalid element of a list does not affect the other elements (rules PN-40 to PN-42).
///
/// Bytes that are not UTF-8 are removed. An invalid element of a list is replaced, and so is an invalid member of an object that contains
/// the lists. A truncated text is not repaired, because the missing part is unknown.
public struct JSONRepair {
    /// The position of a list in the text, and the keys of its elements.
    public struct List: Sendable {
        /// The keys that lead to the list; `*` stands for any key, and for any element of an array.
        public var path: [String]
        /// Keys that every element has. An object after a damaged element counts as the next element only if it has all these keys;
        /// otherwise it may be a part of the damaged element.
        public var elementKeys: [String]

        public init(_ path: String..., elementKeys: [String] = []) {
            self.path = path
            self.elementKeys = elementKeys
        }
    }

    /// The lists of a text whose elements can be replaced. An invalid element, or an invalid member outside the lists, is replaced as a
    /// whole; values inside it are not repaired.
    public struct Plan: Sendable {
        /// The lists to repair. If several have the same path, the first one is used.
        public var lists: [List]
        /// Returns the JSON text that replaces a damaged element, whose bytes are the argument.
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
    /// The number of elements and members that were replaced.
    public let replacedCount: Int

    /// Repairs a text; nil when it cannot be repaired.
    ///
    /// - Parameter damaged: any bytes; they are used only during the call.
    public init?(_ damaged: UnsafeRawBufferPointer, _ plan: Plan) {
        let clean = JSONBytes.withoutInvalidUTF8(damaged)
        let walk: (bytes: [UInt8], replacedCount: Int)? = clean.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            do throws(JSONSyntaxError) {
                _ = try scanner.value()
                try scanner.expectEnd()
                return (clean, 0)
            } catch {
                // The scanner reports a truncated text, and also a text whose last string lacks its closing quote, as `.truncated`. Neither
                // is repaired, because part of the text may be missing.
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
    /// The text itself if it is valid JSON, otherwise the repaired text; nil when it cannot be repaired.
    public init?(repairing text: String, _ plan: JSONRepair.Plan) {
        if let whole = try? JSONText(text) {
            self = whole
            return
        }
        guard let repaired = Array(text.utf8).withUnsafeBytes({ JSONRepair($0, plan) }) else { return nil }
        self.init(checked: String(decoding: repaired.bytes, as: UTF8.self))
    }
}
