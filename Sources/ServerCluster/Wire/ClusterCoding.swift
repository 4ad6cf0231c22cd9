import NIOCore
import NIOHTTP1
import ServerRuntime

// The encoding of values in requests and facts: numbers in NIO's format (big-endian), texts and bytes behind their lengths in four bytes.
// All nodes of a cluster must be able to read each other's messages: a format is extended by adding a case, never by changing one.
extension ByteBuffer {
    package mutating func write(text: String) {
        write(bytes: text.utf8)
    }

    package mutating func write(bytes: some Collection<UInt8>) {
        writeInteger(UInt32(bytes.count))
        writeBytes(bytes)
    }

    package mutating func write(buffer: ByteBuffer) {
        writeInteger(UInt32(buffer.readableBytes))
        writeImmutableBuffer(buffer)
    }

    package mutating func write<Value>(optional value: Value?, _ body: (inout ByteBuffer, Value) -> Void) {
        write(flag: value != nil)
        if let value { body(&self, value) }
    }

    package mutating func write(flag: Bool) {
        writeInteger(flag ? 1 as UInt8 : 0)
    }

    package mutating func write<Element>(list: some Collection<Element>, _ body: (inout ByteBuffer, Element) -> Void) {
        writeInteger(UInt32(list.count))
        for element in list { body(&self, element) }
    }

    package mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(ClusterCodingError) -> Number {
        guard let number = readInteger(as: type) else { throw ClusterCodingError() }
        return number
    }

    package mutating func text() throws(ClusterCodingError) -> String {
        guard let text = readString(length: try length()) else { throw ClusterCodingError() }
        return text
    }

    package mutating func bytes() throws(ClusterCodingError) -> [UInt8] {
        guard let bytes = readBytes(length: try length()) else { throw ClusterCodingError() }
        return bytes
    }

    /// The result shares its storage with this buffer.
    package mutating func buffer() throws(ClusterCodingError) -> ByteBuffer {
        guard let buffer = readSlice(length: try length()) else { throw ClusterCodingError() }
        return buffer
    }

    package mutating func flag() throws(ClusterCodingError) -> Bool {
        switch try number(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw ClusterCodingError()
        }
    }

    package mutating func optional<Value>(
        _ body: (inout ByteBuffer) throws(ClusterCodingError) -> Value
    ) throws(ClusterCodingError) -> Value? {
        try flag() ? try body(&self) : nil
    }

    package mutating func list<Element>(
        _ body: (inout ByteBuffer) throws(ClusterCodingError) -> Element
    ) throws(ClusterCodingError) -> [Element] {
        let count = Int(try number(UInt32.self))
        var list: [Element] = []
        // An invalid count must not reserve much memory.
        list.reserveCapacity(Swift.min(count, readableBytes))
        for _ in 0..<count { list.append(try body(&self)) }
        return list
    }

    package mutating func node() throws(ClusterCodingError) -> ClusterNode {
        let incarnation = try number(UInt64.self)
        return ClusterNode(name: try text(), incarnation: incarnation)
    }

    package mutating func write(node: ClusterNode) {
        writeInteger(node.incarnation)
        write(text: node.name)
    }

    /// Throws unless the reader is at the end of the buffer.
    package func end() throws(ClusterCodingError) {
        guard readableBytes == 0 else { throw ClusterCodingError() }
    }

    private mutating func length() throws(ClusterCodingError) -> Int {
        Int(try number(UInt32.self))
    }
}

// The coding of a request that a node forwards to the leader, and of the leader's answer.
extension ByteBuffer {
    /// - Parameter request: the request, whose target is as received, without the server's prefix.
    package mutating func write(request: HTTPRequest) {
        write(text: request.method)
        write(
            text: request.target.rawQuery.isEmpty
                ? request.target.rawPath : request.target.rawPath + "?" + request.target.rawQuery)
        write(list: Array(request.headers)) { buffer, field in
            buffer.write(text: field.name)
            buffer.write(text: field.value)
        }
        write(bytes: request.body)
    }

    package mutating func request() throws(ClusterCodingError) -> HTTPRequest {
        let (method, target) = (try text(), try text())
        let fields = try list { (buffer) throws(ClusterCodingError) in (try buffer.text(), try buffer.text()) }
        let body = try bytes()
        do throws(HTTPProblem) {
            return HTTPRequest(
                method: method, target: try RequestTarget(parsing: target), headers: HTTPHeaders(fields), body: body)
        } catch {
            throw ClusterCodingError()
        }
    }

    package mutating func write(answer: HTTPAnswer) {
        writeInteger(UInt16(answer.status))
        write(text: answer.contentType.rawValue)
        write(list: answer.fields) { buffer, field in
            buffer.write(text: field.name)
            buffer.write(text: field.value)
        }
        write(flag: answer.hasRecordedFields)
        write(bytes: answer.body)
    }

    package mutating func answer() throws(ClusterCodingError) -> HTTPAnswer {
        let status = Int(try number(UInt16.self))
        let type = HTTPAnswer.ContentType(rawValue: try text())
        let fields = try list { (buffer) throws(ClusterCodingError) in (name: try buffer.text(), value: try buffer.text()) }
        let hasRecordedFields = try flag()
        var answer = HTTPAnswer(status: status, type, try bytes())
        answer.fields = fields
        answer.hasRecordedFields = hasRecordedFields
        return answer
    }
}
