import ConnectionEngine
import Testing

@testable import TransportCommon

@Suite struct RouteMessagesTests {
    private func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private func message(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        return bytes(UInt32(16 + body.count)) + bytes(kind) + bytes(UInt16(2)) + bytes(UInt32(1)) + bytes(UInt32(0)) + body
            + padding
    }

    private func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        bytes(UInt16(4 + value.count)) + bytes(type) + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    private func link(_ index: UInt32, flags: UInt32) -> [UInt8] {
        message(
            16, [0, 0] + bytes(UInt16(1)) + bytes(index) + bytes(flags) + bytes(UInt32(0)) + attribute(3, Array("eth0\0".utf8)))
    }

    private func address(_ index: UInt32, _ address: [UInt8], scope: UInt8 = 0) -> [UInt8] {
        message(20, [2, 24, 0, scope] + bytes(index) + attribute(1, address) + attribute(2, address))
    }

    private func route(
        _ index: UInt32, to destination: [UInt8] = [], type: UInt8 = 1, table: UInt8 = 254, flags: UInt32 = 0
    ) -> [UInt8] {
        let target = destination.isEmpty ? [] : attribute(1, destination)
        return message(
            24, [2, UInt8(destination.count * 8), 0, 0, table, 3, 0, type] + bytes(flags) + target + attribute(4, bytes(index)))
    }

    private func snapshot(_ messages: [[UInt8]]) -> NetworkSnapshot {
        var reader = RouteMessages()
        messages.flatMap { $0 }.withUnsafeBytes { reader.read($0) }
        return reader.snapshot
    }

    private let upAndRunning: UInt32 = 0x41

    @Test func `An interface that runs, with address and route, is a way out`() {
        let found = snapshot([link(2, flags: upAndRunning), address(2, [10, 0, 0, 2]), route(2)])
        #expect(found.isReachable && found.ways.count == 2)
    }

    @Test func `Nothing else is a way out`() {
        let (way, leave): ([UInt8], [UInt8]) = (address(2, [10, 0, 0, 2]), route(2))
        #expect(!snapshot([link(2, flags: 0x1), way, leave]).isReachable)
        #expect(!snapshot([link(2, flags: 0x40), way, leave]).isReachable)
        #expect(!snapshot([link(2, flags: 0x49), way, leave]).isReachable)
        #expect(!snapshot([link(3, flags: upAndRunning), way, leave]).isReachable)
        let up = link(2, flags: upAndRunning)
        #expect(!snapshot([up, leave]).isReachable)
        #expect(!snapshot([up, way]).isReachable)
        #expect(!snapshot([up, address(2, [169, 254, 0, 2], scope: 253), leave]).isReachable)
        #expect(!snapshot([up, way, route(2, type: 2)]).isReachable)
        #expect(!snapshot([up, way, route(2, table: 255)]).isReachable)
        #expect(!snapshot([up, way, route(2, flags: 0x200)]).isReachable)
        let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 14)
        let multicast: [UInt8] = [0xFF] + [UInt8](repeating: 0, count: 15)
        #expect(!snapshot([up, way, route(2, to: linkLocal), route(2, to: multicast)]).isReachable)
    }

    @Test func `Another address or route is another snapshot`() {
        let up = link(2, flags: upAndRunning)
        let before = snapshot([up, address(2, [10, 0, 0, 2]), route(2)])
        #expect(snapshot([up, address(2, [10, 0, 0, 3]), route(2)]).change(from: before) == .available)
        #expect(snapshot([up, address(2, [10, 0, 0, 2]), route(2, to: [10, 0, 0, 0])]).change(from: before) == .available)
        #expect(snapshot([route(2), address(2, [10, 0, 0, 2]), up]).change(from: before) == nil)
    }

    @Test func `Questions know when they are answered or refused`() {
        var reader = RouteMessages()
        message(3, bytes(UInt32(0))).withUnsafeBytes { reader.read($0) }
        #expect(reader.isDone && !reader.isRefused && !reader.hasChange)
        message(2, bytes(Int32(-1))).withUnsafeBytes { reader.read($0) }
        #expect(reader.isRefused)
    }

    @Test func `Messages that are cut short or mutated never crash`() {
        let whole = [link(2, flags: upAndRunning), address(2, [10, 0, 0, 2]), route(2, to: [10, 0, 0, 0])].flatMap { $0 }
        let complete = snapshot([whole])
        #expect(!complete.ways.isEmpty)
        for count in 0..<whole.count {
            // Whatever is missing, the route needs the end.
            #expect(snapshot([Array(whole.prefix(count))]).change(from: complete) != nil, "\(count) bytes")
        }
        var (same, different) = (0, 0)
        for place in whole.indices {
            for value in [UInt8(0), 1, 3, 4, 15, 16, 17, 127, 128, 255] {
                var mutated = whole
                mutated[place] = value
                if snapshot([mutated]).change(from: complete) == nil { same += 1 } else { different += 1 }
            }
        }
        // Some bytes mean nothing, others everything.
        #expect(same > 100 && different > 100)
    }
}
