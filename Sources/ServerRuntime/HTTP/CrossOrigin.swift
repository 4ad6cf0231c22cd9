import NIOCore

/// Which web pages' scripts may read answers, with the header fields that say so made once. Fetch standard, CORS protocol; rules
/// SR-18 to SR-21.
package struct CrossOrigin: Sendable {
    /// The page that a request came from, as far as answers differ by it. Two bytes, since each held poll keeps one.
    package struct Page: Hashable, Sendable {
        fileprivate var index: Int16

        /// A page that is not allowed, or no page at all.
        package static let other = Page(index: -1)
    }

    /// Whether every page may read everything, so that answers do not differ.
    package let isForAll: Bool
    /// The allowed pages, in the order of their index.
    private let origins: [String]

    /// - Parameter origins: as in ``ServerConfiguration/corsOrigins``. What is not an origin, such as a text with a line break in it, is
    ///   left out, so that nothing of it can reach a header.
    package init(_ origins: [String]) {
        isForAll = origins.contains("*")
        self.origins = isForAll ? [] : Array(origins.filter(Self.isOrigin).prefix(Int(Int16.max)))
    }

    package static let everyone = CrossOrigin(["*"])

    /// Whether any page may read anything.
    package var isOn: Bool { isForAll || !origins.isEmpty }

    /// The page with this `Origin` field, compared byte by byte as browsers send it.
    package func page(_ origin: UnsafeRawBufferPointer) -> Page {
        Page(index: Int16(origins.firstIndex { $0.utf8.elementsEqual(origin) } ?? -1))
    }

    package func page(_ origin: String?) -> Page {
        Page(index: Int16(origins.firstIndex { $0 == origin } ?? -1))
    }

    package func allows(_ page: Page) -> Bool { isForAll || page != .other }

    /// Appends the fields of an answer: of PubNub's services as they were recorded, of all others the least.
    ///
    /// - Parameter hasCaching: whether the answer has a `cache-control` field of its own, so that it gets no second one.
    package func write(for page: Page, isRecorded: Bool, hasCaching: Bool = false, to buffer: inout ByteBuffer) {
        if isForAll {
            buffer.writeStaticString("access-control-allow-origin: *\r\n")
        } else if isOn {
            // A cached answer must not be used for another page.
            buffer.writeStaticString("vary: Origin\r\n")
            if page != .other, origins.indices.contains(Int(page.index)) {
                buffer.writeString("access-control-allow-origin: \(origins[Int(page.index)])\r\n")
            }
        }
        if allows(page) {
            buffer.writeStaticString(isRecorded ? Self.recordedFields : "access-control-expose-headers: *\r\n")
        }
        if isRecorded, !hasCaching { buffer.writeStaticString("cache-control: no-cache\r\n") }
    }

    private static let recordedFields: StaticString = """
        access-control-allow-methods: GET, POST, PATCH, DELETE, OPTIONS\r
        access-control-allow-credentials: true\r
        access-control-expose-headers: *\r\n
        """

    /// The header fields of the answer to a preflight request, beside the origin. `*` covers all header fields but `Authorization`.
    package static let preflightFields: [(name: String, value: String)] = [
        ("access-control-allow-methods", "GET, POST, PATCH, DELETE, OPTIONS"),
        ("access-control-allow-headers", "*, Authorization, Content-Type"), ("access-control-max-age", "7200"),
    ]

    private static func isOrigin(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
