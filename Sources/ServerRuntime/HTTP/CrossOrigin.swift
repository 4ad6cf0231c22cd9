import NIOCore

/// The web pages whose scripts may read answers, with encoded header fields. Fetch standard, CORS protocol; rules SR-18 to SR-21.
package struct CrossOrigin: Sendable {
    /// The page of a request's script, as far as answers depend on it. Its size is two bytes, because each held poll has one.
    package struct Page: Hashable, Sendable {
        fileprivate var index: Int16

        /// A page that is not allowed, or no page at all.
        package static let other = Page(index: -1)
    }

    /// Whether every page may read everything, so that answers do not depend on the page.
    package let isForAll: Bool
    /// The allowed pages, in the order of their index.
    private let origins: [String]

    /// - Parameter origins: the list in ``ServerConfiguration/corsOrigins``. A text that is not an origin, for example with a line
    ///   break, is ignored, so that no part of it can reach a header.
    package init(_ origins: [String]) {
        isForAll = origins.contains("*")
        self.origins = isForAll ? [] : Array(origins.filter(Self.isOrigin).prefix(Int(Int16.max)))
    }

    package static let everyone = CrossOrigin(["*"])

    /// Whether any page may read answers.
    package var isOn: Bool { isForAll || !origins.isEmpty }

    /// The page with this `Origin` field, which is compared byte by byte in the form that browsers send.
    package func page(_ origin: UnsafeRawBufferPointer) -> Page {
        Page(index: Int16(origins.firstIndex { $0.utf8.elementsEqual(origin) } ?? -1))
    }

    package func page(_ origin: String?) -> Page {
        Page(index: Int16(origins.firstIndex { $0 == origin } ?? -1))
    }

    package func allows(_ page: Page) -> Bool { isForAll || page != .other }

    /// Appends the CORS fields of an answer: for PubNub's services the recorded fields, for all others the required minimum.
    ///
    /// - Parameter hasCaching: whether the answer has its own `cache-control` field, so that no second one is added.
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

    /// The header fields of the answer to a preflight request, except for the origin. `*` covers all header fields except `Authorization`.
    package static let preflightFields: [(name: String, value: String)] = [
        ("access-control-allow-methods", "GET, POST, PATCH, DELETE, OPTIONS"),
        ("access-control-allow-headers", "*, Authorization, Content-Type"), ("access-control-max-age", "7200"),
    ]

    private static func isOrigin(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
