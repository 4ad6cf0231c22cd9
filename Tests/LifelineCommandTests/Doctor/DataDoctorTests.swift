import Foundation
import Testing

@testable import LifelineCommand

struct DataDoctorTests {
    @Test func `DC-10: a directory that cannot be examined is a failure that says what to do`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        var steps: [ExaminationStep] = []
        let doctor = DataDoctor(place: try DataPlace(directory, passwordFile: nil)) { steps.append($0) }
        #expect(doctor.run() == 1)
        #expect(
            steps.map(\.verdict) == [
                .failed(
                    "\(directory) cannot be used (there is no database of Lifeline in this directory)",
                    advice: "Check that the directory exists and that its owner runs the server.")
            ])
    }

    @Test func `DC-10: an unexpected error of a directory has advice too`() {
        struct Strange: Error {}
        guard case .failed(_, let advice) = DataDoctor.failure(Strange()) else {
            Issue.record("An error is no failure.")
            return
        }
        #expect(advice == "Check that this is a data directory of lifeline serve, and that this user may read it.")
    }
}
