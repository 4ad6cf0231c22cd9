import NIOCore

/// The web origins whose scripts may read answers, with the header fields for them (CORS protocol of the Fetch standard; rules SR-18 to
/// SR-21).
package struct CrossOrigin: Sendable {
    /// The origin of the page that sent a request, as an index of the allowed origins. The value takes only two bytes, because each held
    /// long poll stores a page.
    package struct Page: Hashable, Sendable {
        fileprivate var index: Int16

        /// An origin that is not allowed, or a request without an origin.
        package static let other = Page(index: -1)
    }

    /// Whether pages of all origins may read all answers, so that answers do not depend on the origin.
    package let isForAll: Bool
    /// The allowed origins; ``Page`` has an index of this array.
    private let origins: [String]

    /// - Parameter origins: the list in ``ServerConfiguration/corsOrigins``. A text that is not an origin, for example with a line
    ///   break, is ignored, so that no part of it can reach a header.
    package init(_ origins: [String]) {
        isForAll = origins.contains("*")
        self.origins = isForAll ? [] : Array(origins.filter(Self.isOrigin).prefix(Int(Int16.max)))
    }

    package static let everyone = CrossOrigin(["*"])

    /// Whether pages of at least one origin may read answers.
    package var isOn: Bool { isForAll || !origins.isEmpty }

    /// Returns the page for the value of an `Origin` field. Values are compared byte by byte, in the form that browsers send.
    package func page(_ origin: UnsafeRawBufferPointer) -> Page {
        Page(index: Int16(origins.firstIndex { $0.utf8.elementsEqual(origin) } ?? -1))
    }

    package func page(_ origin: String?) -> Page {
        Page(index: Int16(origins.firstIndex { $0 == origin } ?? -1))
    }

    package func allows(_ page: Page) -> Bool { isForAll || page != .other }

    /// Appends the CORS fields of an answer: those recorded from PubNub's services if `isRecorded`, and the required minimum otherwise.
    ///
    /// - Parameter hasCaching: whether the answer has its own `cache-control` field, so that no second one is added.
    package func write(for page: Page, isRecorded: Bool, hasCaching: Bool = false, to buffer: inout ByteBuffer) {
        if isForAll {
            buffer.writeStaticString("access-control-allow-origin: *\r\n")
        } else if isOn {
            // Caches must not use this answer for a page of another origin, because the value of `access-control-allow-origin` depends on
            // the origin.
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

    /// The header fields of the answer to a preflight request, without the one for the origin. `*` covers all header fields except
    /// `Authorization`.
    package static let preflightFields: [(name: String, value: String)] = [
        ("access-control-allow-methods", "GET, POST, PATCH, DELETE, OPTIONS"),
        ("access-control-allow-headers", "*, Authorization, Content-Type"), ("access-control-max-age", "7200"),
    ]

    private static func isOrigin(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
