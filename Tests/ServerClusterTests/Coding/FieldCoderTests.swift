import Identifiers
import NIOCore
import ServerCluster
import Testing

/// A value of some version.
private struct Former: Hashable, CodedValue {
    var name: String
    var numbers: [Int64]
    var note: String?
    var inner: [Point]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            name: try fields.field(1, value?.name), numbers: try fields.list(2, value?.numbers),
            note: try fields.optional(3, value?.note), inner: try fields.list(4, value?.inner))
    }
}

private struct Point: Hashable, CodedValue {
    var x: UInt16

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(x: try fields.field(1, value?.x))
    }
}

/// The same value in the next version: with more fields, a wider number and another field inside.
private struct Later: Hashable, CodedValue {
    var name: String
    var numbers: [Int64]
    var note: String?
    var inner: [LaterPoint]
    var level: UInt8 = 3
    var labels: [String] = []
    var comment: String?

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            name: try fields.field(1, value?.name), numbers: try fields.list(2, value?.numbers),
            note: try fields.optional(3, value?.note), inner: try fields.list(4, value?.inner),
            level: try fields.field(5, value?.level, default: 3), labels: try fields.list(6, value?.labels, isYounger: true),
            comment: try fields.optional(7, value?.comment, isYounger: true))
    }
}

private struct LaterPoint: Hashable, CodedValue {
    var x: UInt32
    var y: Int32 = -1

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(x: try fields.field(1, value?.x), y: try fields.field(2, value?.y, default: -1))
    }
}

/// An enumeration in two versions.
private enum Shape: Hashable, CodedValue {
    case dot
    case line(UInt64)

    private enum Kind: UInt8 {
        case dot, line
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value.map { $0 == .dot ? Kind.dot : .line }) {
        case .dot: return .dot
        case .line: return .line(try fields.field(1, value.flatMap { if case .line(let length) = $0 { length } else { nil } }))
        }
    }
}

private struct LaterShape: CodedValue {
    var kind: UInt8
    var length: UInt64?

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(kind: try fields.field(0, value?.kind), length: try fields.optional(1, value?.length))
    }
}

private struct Shapes<Element: CodedValue>: CodedValue {
    var all: [Element]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(all: try fields.list(1, value?.all))
    }
}

/// One field of each type.
private struct Everything: Hashable, CodedValue {
    var text = "a\u{301}"
    var name = Identifier("b")
    var bytes: [UInt8] = [0, 255]
    var buffer = ByteBuffer(string: "inner")
    var flag = true
    var numbers: (UInt8, UInt16, UInt32, UInt64) = (1, 2, 3, .max)
    var signed: (Int32, Int64, Int) = (-1, .min, -7)
    var none: Int64?
    var some: Int64? = 5
    var list = ["x", ""]
    var empty: [UInt64] = []

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        var result = Self()
        result.text = try fields.field(1, value?.text)
        result.name = try fields.field(2, value?.name)
        result.bytes = try fields.field(3, value?.bytes)
        result.buffer = try fields.field(4, value?.buffer)
        result.flag = try fields.field(5, value?.flag)
        result.numbers.0 = try fields.field(6, value?.numbers.0)
        result.numbers.1 = try fields.field(7, value?.numbers.1)
        result.numbers.2 = try fields.field(8, value?.numbers.2)
        result.numbers.3 = try fields.field(9, value?.numbers.3)
        result.signed.0 = try fields.field(10, value?.signed.0)
        result.signed.1 = try fields.field(11, value?.signed.1)
        result.signed.2 = try fields.field(12, value?.signed.2)
        result.none = try fields.optional(13, value?.none)
        result.some = try fields.optional(14, value?.some)
        result.list = try fields.list(15, value?.list)
        result.empty = try fields.list(16, value?.empty)
        return result
    }

    static func == (left: Self, right: Self) -> Bool {
        left.encoded(.sequence) == right.encoded(.sequence) && left.buffer == right.buffer && left.list == right.list
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

@Suite("Fields of values in requests, facts and storage (CR-65 to CR-69)")
struct FieldCoderTests {
    private static let former = Former(name: "a", numbers: [1, -2], note: "n", inner: [Point(x: 7), Point(x: 8)])
    private static let later = Later(
        name: "a", numbers: [1, -2], note: "n", inner: [LaterPoint(x: 7, y: 9), LaterPoint(x: 8)], level: 4, labels: ["l"],
        comment: "c")

    @Test(arguments: [CodingLayout.sequence, .tagged])
    func `CR-65: a value comes back from both layouts, and no part of it is taken for one`(layout: CodingLayout) throws {
        let bytes = Everything().encoded(layout)
        #expect(try Everything(decoding: bytes) == Everything())
        #expect(try Everything(decoding: bytes).encoded(layout) == bytes)
        for length in 0..<bytes.readableBytes {
            let cut = try #require(bytes.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { try Everything(decoding: cut) }
        }
        var longer = bytes
        longer.writeInteger(0 as UInt8)
        #expect(throws: ClusterCodingError.self) { try Everything(decoding: longer) }
    }

    @Test func `CR-65: the bytes of a tagged value`() {
        // Mark, length; tag 1, one byte; tag 2, a list of one element of eight bytes; tag 4, a list of one element with one field.
        let value = Former(name: "a", numbers: [1], note: nil, inner: [Point(x: 7)])
        let bytes: [UInt8] = [
            0xF5, 0x4C, 0x46, 1, 0, 0, 0, 33, 1, 1, 97, 2, 0x89, 0x80, 0x80, 0x80, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1,
            4, 0x89, 0x80, 0x80, 0x80, 0, 0x84, 0x80, 0x80, 0x80, 0, 1, 2, 0, 7,
        ]
        #expect(Array(value.encoded(.tagged).readableBytesView) == bytes)
    }

    @Test func `CR-66: fields of a later version are skipped, at every depth`() throws {
        #expect(try Former(decoding: Self.later.encoded(.tagged)) == Self.former)
    }

    @Test(arguments: [CodingLayout.sequence, .tagged])
    func `CR-66: fields that an earlier version did not write have their default`(layout: CodingLayout) throws {
        // The wider number is not readable without tags.
        let former = Former(name: "a", numbers: [1], note: nil, inner: layout == .tagged ? [Point(x: 7)] : [])
        let expected = Later(name: "a", numbers: [1], note: nil, inner: layout == .tagged ? [LaterPoint(x: 7)] : [])
        #expect(try Later(decoding: former.encoded(layout)) == expected)
    }

    @Test func `CR-66: younger fields are not written in the layout without tags, whose readers would refuse them`() throws {
        let later = Later(name: "a", numbers: [], note: nil, inner: [], level: 9, labels: ["l"], comment: "c")
        #expect(try Former(decoding: later.encoded(.sequence)) == Former(name: "a", numbers: [], note: nil, inner: []))
    }

    @Test func `CR-66: a value without a field that may not be missing is refused`() {
        #expect(throws: ClusterCodingError.self) { try Former(decoding: Shapes<Point>(all: []).encoded(.tagged)) }
    }

    @Test func `CR-68: elements of a kind that only a later version knows are left out of a list`() throws {
        let later = Shapes(all: [LaterShape(kind: 1, length: 5), LaterShape(kind: 9, length: 6), LaterShape(kind: 0)])
        #expect(try Shapes<Shape>(decoding: later.encoded(.tagged)).all == [.line(5), .dot])
        #expect(throws: ClusterCodingError(isUnknownKind: true)) {
            try Shape(decoding: LaterShape(kind: 9).encoded(.tagged))
        }
    }

    @Test func `CR-69: counts and lengths that are not true cost nothing`() {
        var bytes = ByteBuffer()
        bytes.writeInteger(UInt32.max)
        #expect(throws: ClusterCodingError.self) { try Shapes<Shape>(decoding: bytes) }
        // A list of a field that claims more than there is, and a length without an end.
        for content: [UInt8] in [[1, 0x7F], [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [1, 3, 0x7F, 0, 0]] {
            let tagged = ByteBuffer(bytes: [0xF5, 0x4C, 0x46, 1, 0, 0, 0, UInt8(content.count)] + content)
            #expect(throws: ClusterCodingError.self) { try Shapes<Shape>(decoding: tagged) }
        }
    }

    @Test func `CR-69: bytes that were changed anywhere are read or refused, and end no process`() throws {
        var random: UInt64 = 7
        func next(_ limit: Int) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(random >> 33) % max(limit, 1)
        }
        var read = 0
        for round in 0..<2_000 {
            var bytes = Array((round % 2 == 0 ? Self.later.encoded(.tagged) : Everything().encoded(.tagged)).readableBytesView)
            for _ in 0...next(4) {
                let index = 8 + next(bytes.count - 8)
                switch next(3) {
                case 0: bytes[index] = UInt8(next(256))
                case 1: bytes.insert(UInt8(next(256)), at: index)
                default: bytes.remove(at: index)
                }
            }
            let rest = UInt32(bytes.count - 8)
            var buffer = ByteBuffer(bytes: bytes)
            buffer.setInteger(rest, at: 4)
            if (try? Former(decoding: buffer)) != nil { read += 1 }
            if (try? Everything(decoding: buffer)) != nil { read += 1 }
            if (try? Shapes<Shape>(decoding: buffer)) != nil { read += 1 }
        }
        #expect(read > 0)
    }
}
