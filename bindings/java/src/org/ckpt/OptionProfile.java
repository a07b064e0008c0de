package org.ckpt;

/**
 * One way to run a layer: what it records and needs meanwhile.
 *
 * @param tapeBytes recorded for backward
 * @param forwardWorkspaceBytes needed while forward runs
 * @param backwardWorkspaceBytes needed while backward runs
 * @param forwardSeconds of forward
 * @param backwardSeconds of backward
 */
public record OptionProfile(
    long tapeBytes, long forwardWorkspaceBytes, long backwardWorkspaceBytes, double forwardSeconds, double backwardSeconds) {
  static OptionProfile of(ckpt_option_profile struct) {
    return new OptionProfile(
        struct.getTape_bytes(), struct.getForward_workspace_bytes(), struct.getBackward_workspace_bytes(),
        struct.getForward_seconds(), struct.getBackward_seconds());
  }
}
