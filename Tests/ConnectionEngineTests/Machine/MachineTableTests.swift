import ConnectionEngine
import Testing

/// Every (state, input) pair. The table is the specification of the machine; see `MachineTable.text`.
@Suite struct MachineTableTests {
    @Test func `Every input in every state does what the table says`() {
        var expected: [String: String] = [:]
        for line in MachineTable.text.split(separator: "\n") {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingSpaces() }
            expected["\(parts[0]) \(parts[1])"] = "\(parts[2]) | \(parts.count > 3 ? parts[3] : "")"
        }
        for state in MachineState.allCases {
            for input in MachineInput.allCases {
                var fixture = state.make()
                let effects = input.apply(to: &fixture).joined(separator: ", ")
                let found = "\(fixture.phase) | \(effects)"
                let nothing = "\(state.make().phase) | "
                let listed = expected.removeValue(forKey: "\(state) \(input)")
                #expect(listed ?? nothing == found, "\(state) | \(input) | \(found)")
            }
        }
        #expect(expected.isEmpty, "The table has pairs that do not exist: \(expected.keys)")
    }
}

extension StringProtocol {
    fileprivate func trimmingSpaces() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
