$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
$user = [System.Security.Principal.WindowsIdentity]::GetCurrent().Name
$task = @{
    TaskPath = '\groove\'
    TaskName = 'groove'
    Description = 'groove search server (groove)'
    Action = New-ScheduledTaskAction -Execute 'C:\Program Files\O''Neil\groove-svc.exe' -Argument '--config "C:\Users\Ann Lee\groove\groove.toml"'
    Principal = New-ScheduledTaskPrincipal -UserId $user -LogonType Interactive -RunLevel Limited
    Settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries `
        -ExecutionTimeLimit ([TimeSpan]::Zero) -MultipleInstances IgnoreNew `
        -RestartCount 3 -RestartInterval (New-TimeSpan -Minutes 1)
}
$task.Trigger = New-ScheduledTaskTrigger -AtLogOn -User $user
Register-ScheduledTask @task -Force | Out-Null
